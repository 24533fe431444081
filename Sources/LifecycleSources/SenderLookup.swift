// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import EventLoop
internal import ServiceManager

/// Finds the unit of the process that sent a signal. A burst from one sender is looked up once.
final class SenderLookup {
    private static let validity: Duration = .milliseconds(50)
    private var last: (pid: Int32, unit: String?, when: MonotonicInstant)?

    /// The unit of `pid`; nil when it is gone or in none.
    func unit(of pid: Int32) -> String? {
        let now = MonotonicInstant.now
        if let last, last.pid == pid, now - last.when < Self.validity { return last.unit }
        let unit = ProcessUnit.of(pid)
        last = (pid, unit, now)
        return unit
    }
}
