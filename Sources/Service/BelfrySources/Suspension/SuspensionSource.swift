// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
internal import Glibc
package import Lifecycle

/// Posts `didResume` after a suspension that was not announced: the control group was frozen, or the machine slept. It
/// uses no timer. Suspensions between `willSleep` and `didWake` are not reported: the machine may sleep more than once
/// for one announcement, and systemd may freeze the service meanwhile.
package final class SuspensionSource {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let group: String?
    private let readClocks: () -> ClockReading
    private var ledger: SuspensionLedger
    private var freezer: DescriptorEventSource?
    private var announcements: [LifecycleObservation] = []
    private var isSleepAnnounced = false

    /// Takes a first reading.
    ///
    /// - Parameter group: the directory of the process's own control group, if it has one.
    package init(
        loop: MainEventLoop, mediator: LifecycleMediator, group: String?,
        readClocks: @escaping () -> ClockReading = { .now }
    ) {
        self.loop = loop
        self.mediator = mediator
        self.group = group
        self.readClocks = readClocks
        ledger = SuspensionLedger(Self.reading(of: group, readClocks()))
        announcements = [
            mediator.addObserver(forName: .willSleep) { [unowned self] _ in isSleepAnnounced = true },
            mediator.addObserver(forName: .didWake) { [unowned self] _ in
                check()
                isSleepAnnounced = false
            },
        ]
    }

    /// Watches the `cgroup.events` of the group, for which the kernel reports a priority event when the group is frozen
    /// or thawed, until the file is read (cgroups(7)).
    package func watchFreezer() throws(SystemError) {
        guard let group else { return }
        let path = group + "/cgroup.events"
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .last(verb: "watch", object: path) }
        freezer = try loop.source(owning: OwnedDescriptor(owning: file), .priority) { [unowned self] _ in
            lseek(file, 0, SEEK_SET)
            // Of a group that is gone, which this process has left, it cannot be read, and would be reported without
            // end.
            guard let bytes = try? FileContent.read(file, of: path, limit: 4096) else { return freezer = nil }
            check(hasThawed: KernelFile.number("frozen", of: String(decoding: bytes, as: UTF8.self)) == 0)
        }
        freezer?.priority = SourcePriority.suspension
    }

    /// Reports a sleep of the machine, or a freeze, since the last call.
    ///
    /// - Returns: whether there was any.
    @discardableResult
    package func check(hasThawed: Bool = false) -> Bool {
        let found = ledger.update(Self.reading(of: group, readClocks()), hasThawed: hasThawed)
        for suspension in found where !isSleepAnnounced {
            mediator.perform(.endSuspension, userInfo: suspension.userInfo)
        }
        return !found.isEmpty
    }

    private static func reading(of group: String?, _ clocks: ClockReading) -> SuspensionReading {
        SuspensionReading(
            frozen: group.flatMap { KernelFile.number("frozen_usec", in: $0 + "/cgroup.stat.local") }, clocks: clocks)
    }
}

/// Finds the unannounced suspensions between one reading and the next.
package nonisolated struct SuspensionLedger: Sendable, Equatable {
    private var last: SuspensionReading

    /// The kernel reports a change of `cgroup.events` at once, and another one within 10 ms up to 10 ms later: a second
    /// report so soon after a thaw is about the same thaw.
    private static let echo = Duration.milliseconds(20)

    /// More than any time that a number of the kernel can mean.
    private static let most: UInt64 = 1 << 60

    /// Begins with a first reading.
    package init(_ reading: SuspensionReading) { last = reading }

    /// The suspensions since the last reading.
    ///
    /// - Parameter hasThawed: whether the group was reported as thawed, which counts if `frozen` is unknown.
    package mutating func update(_ now: SuspensionReading, hasThawed: Bool = false) -> [Suspension] {
        defer { last = now }
        var found: [Suspension] = []
        if let frozen = now.frozen, let before = last.frozen {
            if frozen > before {
                found.append(Suspension(.freezer, duration: .microseconds(min(frozen - before, Self.most))))
            }
        } else if hasThawed {
            let most = Duration.microseconds(now.clocks.monotonic - last.clocks.monotonic)
            if most >= Self.echo { found.append(Suspension(.freezer, duration: most, isExact: false)) }
        }
        let slept = now.clocks.slept(since: last.clocks)
        if slept > .zero { found.append(Suspension(.sleep, duration: slept)) }
        return found
    }
}

/// The traces that suspensions leave.
package nonisolated struct SuspensionReading: Sendable, Equatable {
    /// How long the control group has been frozen so far, in microseconds (`frozen_usec`); nil if the kernel does not
    /// count it.
    package var frozen: UInt64?
    /// The clocks.
    package var clocks: ClockReading
}
