// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a service waits for until the test gives it.
nonisolated struct Cue: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func give() { continuation.finish() }

    func wait() async {
        for await _ in stream {}
    }
}
