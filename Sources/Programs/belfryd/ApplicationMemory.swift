// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import BelfrySources
internal import Lifecycle

/// Reports when tasks of the application's unit wait for memory. A trigger of the kernel would have to be written into
/// that unit's control group, so the file is read once in each window of `PressurePlan`, and the time that tasks have
/// waited is compared (PSI).
final class ApplicationMemory {
    private let path: String
    private let interval: Duration
    private let onPressure: (MemoryWarning.Level) -> Void
    /// Nil while the file cannot be read, such as between the end of one group and the next.
    private var last: MemoryStalls?
    private var timer: TimerEventSource?

    /// Why nothing could be reported at the last look: a kernel that does not count pressure has no file.
    private(set) var problem: SystemError?
    /// Called when `problem` has changed.
    var onProblem: () -> Void = {}

    /// Watches a control group, given by its path below `root`. The same path may be another group at the next look.
    init(
        of group: String, below root: String = "/sys/fs/cgroup", every interval: Duration = PressurePlan.window,
        on loop: MainEventLoop, onPressure: @escaping (MemoryWarning.Level) -> Void
    ) {
        (self.interval, self.onPressure) = (interval, onPressure)
        path = "\(root)\(group)/memory.pressure"
        do throws(SystemError) {
            timer = try loop.timer(after: interval, accuracy: interval / 10) { [unowned self] in look() }
            look()
        } catch {
            problem = error
        }
    }

    private func look() {
        let (before, known) = (last, problem)
        last = nil
        do throws(SystemError) {
            // First, so that nothing ends the watch but its owner.
            try timer?.fire(after: interval)
            last = MemoryStalls(try KernelFile.text(path))
            problem = nil
        } catch {
            problem = error
        }
        if problem != known { onProblem() }
        guard let before, let now = last else { return }
        if let level = now.level(since: before, limit: PressurePlan.stalls.microseconds) { onPressure(level) }
    }
}

/// How long tasks have waited for memory since the group was made, in microseconds.
nonisolated struct MemoryStalls: Equatable {
    /// At least one of them.
    var some: UInt64 = 0
    /// All of them at once.
    var full: UInt64 = 0

    /// From the lines of `memory.pressure`: `some avg10=0.00 avg60=0.00 avg300=0.00 total=123`.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            guard let total = line.split(separator: " ").last, total.hasPrefix("total="),
                let usec = UInt64(total.dropFirst("total=".utf8.count))
            else { continue }
            if line.hasPrefix("some ") { some = usec }
            if line.hasPrefix("full ") { full = usec }
        }
    }

    /// What the time since an earlier look means; nil for nothing.
    func level(since last: MemoryStalls, limit: UInt64) -> MemoryWarning.Level? {
        if full >= last.full, full - last.full >= limit { return .full }
        return some >= last.some && some - last.some >= limit ? .some : nil
    }
}
