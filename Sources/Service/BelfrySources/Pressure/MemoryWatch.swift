// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
package import Lifecycle

/// Reports when tasks of another unit wait for memory. A trigger of the kernel would have to be written into that unit's control
/// group, so the file is read once in each window of `PressurePlan`, and the time that tasks have waited is compared (PSI).
package final class MemoryWatch {
    /// The control group below the root of all.
    package let group: String
    private let path: String
    private let onPressure: (MemoryWarning.Level) -> Void
    private var last: MemoryStalls
    private var timer: TimerEventSource?

    /// Watches a control group.
    ///
    /// - Throws: when the kernel does not tell the pressure of the group.
    package init(
        of group: String, on loop: MainEventLoop, onPressure: @escaping (MemoryWarning.Level) -> Void
    ) throws(SystemError) {
        self.group = group
        self.onPressure = onPressure
        path = "/sys/fs/cgroup\(group)/memory.pressure"
        last = MemoryStalls(try KernelFile.text(path))
        timer = try loop.timer(after: PressurePlan.window, accuracy: .milliseconds(200)) { [unowned self] in look() }
    }

    private func look() {
        // Without the group the unit has ended, and this watch ends with it.
        guard let text = try? KernelFile.text(path) else { return }
        let now = MemoryStalls(text)
        if let level = now.level(since: last, limit: PressurePlan.stalls.microseconds) { onPressure(level) }
        last = now
        try? timer?.fire(after: PressurePlan.window)
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
