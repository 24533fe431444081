// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import CoreMetrics
import Glibc
import Logging

/// Stores each job as a file, `job-1` and so on. Another program may process the files.
final class JobListener: RestorableListener {
    nonisolated struct State: Codable, Sendable { var number: Int }

    let restorationIdentifier = "jobs"
    private let settings: SettingsHandle<WorkerSettings>
    private let logger = Logger(label: "worker.jobs")
    private let stored = Counter(label: "worker.jobs", dimensions: [("result", "stored")])
    private let refused = Counter(label: "worker.jobs", dimensions: [("result", "refused")])
    private let duration = Timer(label: "worker.job.duration")
    private var number = 0

    init(_ settings: SettingsHandle<WorkerSettings>) { self.settings = settings }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in try check(settings.value) }
        on(.willReload) { [self] in try check(settings.value(in: $0)) }
        onAction("restart-numbers", title: "Number the next job 1") { [self] _ in number = 0 }
    }

    func encodeRestorableState() -> State { State(number: number) }
    func decodeRestorableState(_ state: State) { number = state.number }

    /// Stores a job.
    func store(_ job: some Collection<UInt8>) {
        let start = ContinuousClock.now
        defer { duration.recordSeconds((ContinuousClock.now - start) / .seconds(1)) }
        do {
            let path = try write(job)
            stored.increment()
            logger.notice("stored a job", metadata: ["job": "\(path)", "bytes": "\(job.count)"])
        } catch {
            refused.increment()
            logger.warning("refused a job", error: error)
        }
    }

    private func write(_ job: some Collection<UInt8>) throws -> String {
        guard job.count <= settings.value.sizeMax.bytes else { throw LifecycleRefusal("too long: \(job.count) bytes") }
        let folder = settings.value.directory
        // After a crash, or after its action, the number is lower than that of the last file.
        repeat { number += 1 } while access("\(folder)/job-\(number)", F_OK) == 0
        let (path, part) = ("\(folder)/job-\(number)", "\(folder)/.job-\(number)")
        // The file gets its name when it is complete.
        let file = OwnedDescriptor(owning: open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
        guard file.number >= 0, Glibc.write(file.number, Array(job), job.count) == job.count, rename(part, path) == 0
        else { throw LifecycleRefusal("write", path) }
        return path
    }

    private func check(_ settings: WorkerSettings) throws {
        guard access(settings.directory, W_OK | X_OK) == 0 else {
            throw LifecycleRefusal("write to", settings.directory)
        }
    }
}

extension LifecycleRefusal {
    /// Names the last call of the system that failed.
    init(_ verb: String, _ path: String) {
        self.init("unable to \(verb) '\(path)': \(String(cString: strerror(errno)))")
    }
}
