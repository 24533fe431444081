// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What became of a rehearsal.
public nonisolated struct RehearsalReport: Sendable {
    /// One notification of it.
    public struct Step: Sendable {
        /// The notification.
        public let name: LifecycleNotification.Name
        /// What the dry run of each listener came to, in the order in which they ran.
        public let listeners: [ListenerReport]
        /// The listeners that would be told and allow no dry run.
        public let skipped: [String]
    }

    /// The notifications, in order, as far as the rehearsal came.
    public let steps: [Step]
    /// That of what delivers nothing.
    package static let nothing = RehearsalReport(steps: [], reasons: [])

    /// Why what was rehearsed would not succeed; none when no listener that was asked speaks against it.
    public let reasons: [String]

    /// The listeners that would be told, and of which no answer allows a dry run, so that they may still refuse or fail:
    /// each once, in the order in which they would be told. Attached programs are among them, as they cannot be asked.
    public var unasked: [String] {
        let asked = Set(steps.flatMap(\.listeners).map(\.listener))
        var seen: Set<String> = []
        return steps.flatMap(\.skipped).filter { !asked.contains($0) && seen.insert($0).inserted }
    }
}
