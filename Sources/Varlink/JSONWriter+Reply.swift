// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A message that is one of several replies to a call, for those who write its parameters themselves.
nonisolated extension JSONWriter {
    /// Begins the message. The members of its parameters follow.
    package mutating func beginContinuingReply() { write(raw: "{\"parameters\":{") }

    /// Ends it.
    package mutating func endContinuingReply() { write(raw: "},\"continues\":true}\0") }
}
