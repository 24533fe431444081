// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import Lifecycle
package import BelfryLinux

/// Tells of suspensions that nobody announced, when they are over: the process was stopped, its control group was
/// frozen, or the machine slept. Nothing wakes up for it in between. What comes between `willSleep` and `didWake` is left to
/// the latter: the machine may sleep more than once for one announcement, and systemd may freeze the service meanwhile.
package final class SuspensionSource {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let group: String?
    private let readClocks: () -> ClockReading
    private var ledger: SuspensionLedger
    private var freezer: InotifyEventSource?
    private var stoppedItself: MonotonicInstant?
    private var announcements: [LifecycleObservation] = []
    private var isSleepAnnounced = false

    /// Takes what is seen now.
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
        ledger = SuspensionLedger(Self.reading(of: group, readClocks(), hasThawed: false))
        mediator.addTransitionObserver { [weak self] report in
            if report.trigger == .suspend { self?.stoppedItself = .now }
            // Its listeners save and flush, so what blocked them says nothing of a stop signal.
            _ = self?.loop.takeAbsence()
        }
        announcements = [
            mediator.addObserver(forName: .willSleep) { [unowned self] _ in isSleepAnnounced = true },
            mediator.addObserver(forName: .didWake) { [unowned self] _ in
                check()
                isSleepAnnounced = false
            },
        ]
    }

    /// Watches the `cgroup.events` of the group, which the kernel says to have changed when it is frozen or thawed.
    package func watchFreezer() throws(SystemError) {
        guard let group else { return }
        freezer = try loop.source(path: group + "/cgroup.events", .modified) { [unowned self] _ in
            check(hasThawed: KernelFile.number("frozen", in: group + "/cgroup.events") == 0)
        }
        freezer?.priority = SourcePriority.suspension
    }

    /// Tells of a sleep of the machine, or of a freeze, since the last call.
    ///
    /// - Returns: whether there was any.
    @discardableResult
    package func check(hasThawed: Bool = false) -> Bool {
        let reading = Self.reading(of: group, readClocks(), hasThawed: hasThawed)
        let found = ledger.settle(reading, interruption: loop.lastInterruption)
        // What is told here left these traces too, so they say nothing of a stop signal.
        if !found.isEmpty { _ = (loop.takeInterruption(), loop.takeAbsence()) }
        for suspension in found where !isSleepAnnounced {
            mediator.perform(.endSuspension, userInfo: suspension.userInfo)
        }
        return !found.isEmpty
    }

    /// Tells a process that had been stopped from one that was merely told to continue.
    package func continued(_ origin: SignalOrigin, _ userInfo: UserInfo = [:]) {
        guard let stop = stopBefore(now: .now), !check() else {
            return mediator.perform(.resume, origin: .signal(origin), userInfo: userInfo)
        }
        mediator.perform(
            .endSuspension, origin: .signal(origin), userInfo: stop.userInfo.merging(userInfo) { stop, _ in stop })
    }

    /// The stop that a SIGCONT at this moment has ended; nil when there was none. The kernel does not say how long it
    /// was: at most since the loop began to wait, or for as long as the process did not run in the midst of its work.
    private func stopBefore(now: MonotonicInstant) -> Suspension? {
        let traces = (interruption: loop.takeInterruption(), absence: loop.takeAbsence())
        if mediator.state == .suspended, let began = stoppedItself {
            return Suspension(.signal, duration: now - began, isExact: false)
        }
        if let last = traces.interruption, now - last.ended < .seconds(1) {
            return Suspension(.signal, duration: last.ended - last.began, isExact: false)
        }
        guard mediator.remainingTime == nil else { return nil }
        return traces.absence.map { Suspension(.signal, duration: $0, isExact: false, isCertain: false) }
    }

    private static func reading(of group: String?, _ clocks: ClockReading, hasThawed: Bool) -> SuspensionReading {
        SuspensionReading(
            frozen: group.flatMap { KernelFile.number("frozen_usec", in: $0 + "/cgroup.stat.local") },
            hasThawed: hasThawed, clocks: clocks)
    }
}
