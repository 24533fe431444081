// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One thing that happened to the service.
public nonisolated struct LifecycleNotification: Sendable {
    /// What happened.
    public let name: Name
    /// Its sequence number: one more than that of the notification before, and never used twice within a boot.
    public let sequence: UInt64
    /// When it was posted.
    public let time: LifecycleTime
    /// The state of the service before it.
    public let previousState: LifecycleState
    /// The state after it; the same as `previousState` for a notification that changes no state.
    public let state: LifecycleState
    /// Who or what caused it.
    public let origin: LifecycleOrigin
    /// The trigger of the transition it belongs to; nil for a notification that was posted.
    public let trigger: LifecycleTrigger?
    /// Additional values.
    public let userInfo: UserInfo
    /// The configuration: in `willReload` and `didReload` the new one, in `didFailToReload` the one that stays. Nil in
    /// every other notification, and when the new configuration could not be read.
    public let configuration: LifecycleConfiguration?
    /// What the journal says of it.
    package internal(set) var journalEntry = JournalEntry.standard

    /// Makes a notification. Only the mediator and tests need this.
    public init(
        name: Name, sequence: UInt64, time: LifecycleTime, previousState: LifecycleState, state: LifecycleState,
        origin: LifecycleOrigin, trigger: LifecycleTrigger? = nil, userInfo: UserInfo = [:],
        configuration: LifecycleConfiguration? = nil
    ) {
        self.name = name
        self.sequence = sequence
        self.time = time
        self.previousState = previousState
        self.state = state
        self.origin = origin
        self.trigger = trigger
        self.userInfo = userInfo
        self.configuration = configuration
    }

    /// Whether it is a URL that one listener is to open, so that the others are not asked after it.
    var isForOne: Bool { name == .openURL && userInfo["toAll"] != true }

    /// Whether it is the `willReload` of a dry run, see `LifecycleMediator.checkReload(origin:completion:)`.
    package var isDryRun: Bool { userInfo["dryRun"] == true }
}
