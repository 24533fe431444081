// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service that stores jobs as files. To make another service of it, change the listeners.

import Belfry
import BelfryLogging
import BelfryMetrics
import BelfrySocket
import CoreMetrics
import Logging

LoggingSystem.bootstrap(BelfryLogHandler.init)
MetricsSystem.bootstrap(BelfryMetricsFactory())

let options = ServiceOptions(
    name: "worker", version: "1.0", about: "Stores jobs as files.",
    arguments: CommandLine.arguments)
ServiceMain.run(options, with: [.logging, .socket]) { service in
    let settings = try service.settings(WorkerSettings.self, section: "Worker")
    let jobs = JobListener(settings)
    try service.mediator.addListener(jobs)
    try service.mediator.addListener(QueueListener(service, jobs))
}
