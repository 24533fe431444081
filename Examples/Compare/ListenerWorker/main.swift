// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfrySocket
import Work

final class JobListener: LifecycleListener {
    private let work = Work()
    private let mediator: LifecycleMediator
    private var quality = 0
    private var takesJobs = false

    init(_ mediator: LifecycleMediator) { self.mediator = mediator }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in quality = try work.quality() }
        on(.didBecomeActive) { [self] _ in takesJobs = true }
        on(.willResignActive) { [self] _ in takesJobs = false }
        on(.willReload) { [self] _ in _ = try work.quality() }
        on(.didReload) { [self] _ in quality = try work.quality() }
        onEvent(MemoryWarning.self) { [self] _ in work.flush() }
        onEvent(Termination.self) { [self] end in work.say("stopped: \(end.reason.rawValue)") }
    }

    func doJobs() async throws {
        while true {
            if takesJobs, let job = work.next() {
                let task = mediator.beginBackgroundTask(named: job, deadline: .seconds(30))
                try await work.finish(job, quality: quality)
                task.end()
            } else {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}

ServiceMain.run(ServiceOptions(name: "worker"), with: [.socket]) { service in
    let listener = JobListener(service.mediator)
    try service.mediator.addListener(listener)
    try service.addWorker("jobs", listener.doJobs)
}
