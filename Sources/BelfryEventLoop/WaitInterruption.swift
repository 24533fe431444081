// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A wait of the loop that was broken off although nothing had become ready.
public nonisolated struct WaitInterruption: Sendable, Equatable {
    /// When the wait began: the process was not stopped before.
    public let began: MonotonicInstant
    /// When it was broken off: the process was continued just before.
    public let ended: MonotonicInstant

    /// An interruption. The loop makes these; a test may.
    public init(began: MonotonicInstant, ended: MonotonicInstant) {
        self.began = began
        self.ended = ended
    }
}
