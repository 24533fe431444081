// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The user info of `willTerminate`: why the process ends, and how long listeners have.
public nonisolated struct Termination: LifecycleEvent, Equatable {
    /// Why it ends.
    public enum Reason: String, Sendable, CaseIterable {
        /// The service manager stops the unit.
        case stop
        /// The service manager restarts the unit.
        case restart
        /// The machine reboots.
        case reboot
        /// The machine is switched off.
        case powerOff
        /// The machine halts.
        case halt
        /// Another kernel takes over.
        case kexec
        /// The user space restarts without the kernel.
        case softReboot
        /// A signal that did not come from the service manager.
        case signal
        /// A part of the service has failed; `userInfo` has `error`.
        case failed
        /// The service has finished its work; `userInfo` has the name of the listener whose work it was as `worker`.
        case finished
        /// The unit of the application that the service stands for has ended by itself, or was killed.
        case unitEnded
        /// A listener refused the launch, or a required one failed or was late.
        case launchRefused
    }

    /// Why it ends.
    public var reason: Reason
    /// The time that all listeners together have from now on; nil if it is not limited.
    public var deadline: Duration?

    /// A termination.
    public init(_ reason: Reason, deadline: Duration? = nil) {
        self.reason = reason
        self.deadline = deadline
    }

    /// `willTerminate`
    public static let name = LifecycleNotification.Name.willTerminate

    /// Decodes `reason` and `deadlineUsec`.
    public init?(userInfo: UserInfo) {
        guard case .string(let text) = userInfo["reason"], let reason = Reason(rawValue: text) else { return nil }
        self.init(reason, deadline: userInfo.duration("deadlineUsec"))
    }

    /// `reason`, and `deadlineUsec` if there is a deadline.
    public var userInfo: UserInfo {
        var info: UserInfo = ["reason": .string(reason.rawValue)]
        info["deadlineUsec"] = deadline.map { .int($0.signedMicroseconds) }
        return info
    }
}
