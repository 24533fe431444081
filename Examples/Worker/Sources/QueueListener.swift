// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// Takes jobs from the FIFO `jobs` in the runtime directory: each line is a job.
///
/// systemd stores a copy of the descriptor, so the FIFO stays open through a restart. Jobs that are written during a restart or
/// a pause wait in the kernel.
final class QueueListener: LifecycleListener {
    private let service: BelfryService
    private let jobs: JobListener
    private var source: DescriptorEventSource?

    init(_ service: BelfryService, _ jobs: JobListener) { (self.service, self.jobs) = (service, jobs) }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            source = try service.loop.source(owning: fifo(), .readable) { [self] _ in read() }
            source?.isEnabled = false
        }
        on(.didBecomeActive) { [self] _ in source?.isEnabled = true }
        on(.willResignActive) { [self] _ in source?.isEnabled = false }
    }

    private func fifo() throws -> OwnedDescriptor {
        if let stored = service.descriptors.receive(named: "jobs").first { return stored }
        let path = "\(service.runtimeDirectory)/jobs"
        mkfifo(path, 0o600)
        // Open for writing too, so that it does not end when the last writer closes it (fifo(7)).
        let made = OwnedDescriptor(owning: open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC))
        guard made.number >= 0 else { throw LifecycleRefusal("open", path) }
        try service.descriptors.store(made.number, as: "jobs")
        return made
    }

    private func read() {
        // As much as a FIFO has room for. Lines up to PIPE_BUF (4096 bytes) are complete (pipe(7)).
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let length = Glibc.read(source?.descriptor ?? -1, &bytes, bytes.count)
        for job in bytes.prefix(max(length, 0)).split(separator: UInt8(ascii: "\n")) { jobs.store(job) }
    }
}
