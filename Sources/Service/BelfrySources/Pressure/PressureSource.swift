// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
internal import CBelfry
internal import Glibc
package import Lifecycle

/// Reports when the kernel says that tasks of the service wait for memory (PSI).
package final class PressureSource {
    /// A trigger that fires within this time after a more urgent one is ignored.
    private static let window: Duration = .seconds(2)
    private let onPressure: (MemoryWarning.Level) -> Void
    private var triggers: [PressureTrigger] = []
    private var lastFull: MonotonicInstant?

    /// Sets these triggers.
    ///
    /// - Parameters:
    ///   - onEnd: called with the watched file when no more reports will come from it.
    ///   - onPressure: called when some tasks wait, or all of them.
    package init(
        loop: MainEventLoop, triggers plan: [PressurePlan.Trigger], onEnd: @escaping (String) -> Void,
        onPressure: @escaping (MemoryWarning.Level) -> Void
    ) throws(SystemError) {
        self.onPressure = onPressure
        for trigger in plan {
            triggers.append(
                try PressureTrigger(
                    trigger, loop: loop, fired: { [unowned self] in report(trigger.level) },
                    ended: { onEnd(trigger.path) }))
        }
    }

    /// Whether no more reports will come from one of them.
    package var isOver: Bool { triggers.contains { $0.source == nil } }

    private func report(_ level: MemoryWarning.Level) {
        let now = MonotonicInstant.now
        if level == .full { lastFull = now }
        if level == .some, let lastFull, now - lastFull < Self.window { return }
        onPressure(level)
    }
}

/// One open trigger: a kernel file that is polled for EPOLLPRI, or a FIFO or socket that becomes
/// readable.
final class PressureTrigger {
    fileprivate var source: DescriptorEventSource?

    /// Opens and sets the trigger.
    ///
    /// - Parameters:
    ///   - fired: tasks wait.
    ///   - ended: the trigger will not fire any more.
    init(
        _ plan: PressurePlan.Trigger, loop: MainEventLoop, fired: @escaping () -> Void, ended: @escaping () -> Void
    ) throws(SystemError) {
        let (file, isStream) = try Self.open(plan)
        let number = file.number
        if !plan.setting.isEmpty, write(number, plan.setting, plan.setting.count) < 0 {
            throw .last(verb: "set pressure trigger", object: plan.path)
        }
        source = try loop.source(owning: file, isStream ? .readable : .priority) { [unowned self] events in
            let isError = events.contains(.error)
            let (isPressed, isOver) = isStream ? Self.drain(number) : (!isError, isError)
            if isPressed { fired() }
            guard isOver else { return }
            source = nil
            ended()
        }
    }

    private static func open(
        _ plan: PressurePlan.Trigger
    ) throws(SystemError) -> (file: OwnedDescriptor, isStream: Bool) {
        var status = stat()
        guard stat(plan.path, &status) == 0 else { throw .last(verb: "find", object: plan.path) }
        switch status.st_mode & S_IFMT {
        case S_IFSOCK:
            let descriptor = try SystemError.check(
                belfry_unix_connect(plan.path), verb: "connect to", object: plan.path)
            return (OwnedDescriptor(owning: descriptor), true)
        case S_IFREG, S_IFIFO, S_IFCHR:
            let mode = plan.setting.isEmpty ? O_RDONLY : O_RDWR
            let descriptor = Glibc.open(plan.path, mode | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            guard descriptor >= 0 else { throw .last(verb: "open", object: plan.path) }
            return (OwnedDescriptor(owning: descriptor), status.st_mode & S_IFMT != S_IFREG)
        default:
            throw SystemError(EBADF, verb: "watch pressure at", object: plan.path)
        }
    }

    /// Reads what is there, but no more than that in one turn. Returns whether there was anything, and whether the
    /// other side is closed.
    private static func drain(_ descriptor: Int32) -> (isPressed: Bool, isOver: Bool) {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            var isPressed = false
            for _ in 0..<16 {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 { isPressed = true }
                guard count <= 0, count == 0 || errno != EINTR else { continue }
                return (isPressed, count == 0 || errno != EAGAIN)
            }
            return (isPressed, false)
        }
    }
}

extension LifecycleMediator {
    /// Posts a memory warning, and returns memory that listeners have freed to the system (malloc_trim(3)).
    package func warnOfMemory(_ level: MemoryWarning.Level, origin: LifecycleOrigin = .service) {
        post(MemoryWarning(level), origin: origin) { _ in belfry_malloc_trim() }
    }
}
