// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a request that is kept to be answered later owes: a client that waits is told when nobody will answer it.
///
/// Most requests are answered at once and owe nothing; to end on the main actor takes longer than to be answered.
@MainActor  // in words, as in MainEventLoop
final class UnansweredCall {
    private let number: UInt64
    private let method: String
    private let connection: ServerConnection

    init(_ number: UInt64, _ method: String, on connection: ServerConnection) {
        self.number = number
        self.method = method
        self.connection = connection
    }

    isolated deinit { connection.unanswered(number, method: method) }
}
