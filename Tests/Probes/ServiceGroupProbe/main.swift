// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Two services of swift-service-lifecycle on the library. The first argument says how the second one behaves; the rest
// are configuration files. `flushRequested` (SIGUSR1) is what it waits for: to fail, to end, or to be ready.

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
    let cue = ServiceReadiness()
    let (cued, continuation) = AsyncStream.makeStream(of: Never.self)
    observation = service.mediator.addObserver(forName: .flushRequested) { _ in
        cue.signal()
        continuation.finish()
    }
    // Signals that Belfry must leave out, since it hears them itself.
    var group = ServiceGroupConfiguration(
        services: [.init(service: ProbeService("a", "serve", cued)), .init(service: ProbeService("b", manner, cued))],
        gracefulShutdownSignals: [.sigterm, .sigusr1], logger: Logger(label: "probe") { _ in SwiftLogNoOpLogHandler() })
    group.services[1].failureTerminationBehavior = .gracefullyShutdownGroup
    group.services[1].successTerminationBehavior = .gracefullyShutdownGroup
    try service.addServiceGroup(group, readiness: ["slow", "refuse"].contains(manner) ? cue : nil)
}
