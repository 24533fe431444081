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
    /// Nil while the file cannot be read.
    private var last: MemoryStalls?
    private var timer: TimerEventSource?

    /// Watches a control group, given by its path below `root`. The same path may be another group at the next look.
    init(
        of group: String, below root: String = "/sys/fs/cgroup", every interval: Duration = PressurePlan.window,
        on loop: MainEventLoop, onPressure: @escaping (MemoryWarning.Level) -> Void
    ) throws(SystemError) {
        (self.interval, self.onPressure) = (interval, onPressure)
        path = "\(root)\(group)/memory.pressure"
        last = stalls
        timer = try loop.timer(after: interval, accuracy: interval / 10) { [unowned self] in look() }
    }

    private func look() {
        // First, so that nothing ends the watch but its owner.
        try? timer?.fire(after: interval)
        let (before, now) = (last, stalls)
        last = now
        guard let before, let now else { return }
        if let level = now.level(since: before, limit: PressurePlan.stalls.microseconds) { onPressure(level) }
    }

    /// Nil without a descriptor for the file, and between the end of one group and the next.
    private var stalls: MemoryStalls? { (try? KernelFile.text(path)).map(MemoryStalls.init) }
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
