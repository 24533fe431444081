// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Two services of swift-service-lifecycle on the library. The first argument selects the behaviour of the second one; the
// others are configuration files. With `fail` it fails at `flushRequested` (SIGUSR1), with `nested` it is a worker with a group that
// handles signals.

import Belfry
import BelfryServiceLifecycle
import BelfrySocket
import Logging
import ServiceLifecycle
import UnixSignals

let arguments = CommandLine.arguments.dropFirst()
let manner = arguments.first ?? ""
let options = ServiceOptions(name: "probe", configurationFiles: Array(arguments.dropFirst()))
var observation: LifecycleObservation?

ServiceMain.run(options, with: [.socket]) { service in
    let (cue, continuation) = AsyncStream.makeStream(of: Never.self)
    observation = service.mediator.addObserver(forName: .flushRequested) { _ in continuation.finish() }
    if manner == "nested" {
        return try service.addWorker("nested") {
            let logger = Logger(label: "probe") { _ in SwiftLogNoOpLogHandler() }
            let probe = ProbeService("a", "serve", cue)
            try await ServiceGroup(services: [probe], gracefulShutdownSignals: [.sigterm], logger: logger).run()
        }
    }
    // Signals that Belfry must not pass on, because it handles them itself.
    var group = ServiceGroupConfiguration(
        services: [
            .init(service: ProbeService("a", "serve", cue), serviceName: "a"),
            .init(service: ProbeService("b", manner, cue), serviceName: "b"),
        ],
        gracefulShutdownSignals: [.sigterm, .sigusr1], logger: Logger(label: "probe") { _ in SwiftLogNoOpLogHandler() })
    group.services[1].failureTerminationBehavior = .gracefullyShutdownGroup
    try service.addServiceGroup(group)
}
