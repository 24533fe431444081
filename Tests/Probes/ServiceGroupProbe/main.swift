// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Two services of swift-service-lifecycle on the library. The first argument selects the behaviour of the second one; the
// others are configuration files. At `flushRequested` (SIGUSR1) it fails, ends, or becomes ready. With `failBesideImmovable` the
// first one ignores shutdown and cancellation.

import Belfry
import BelfryServiceLifecycle
import BelfrySocket
import Logging
import ServiceLifecycle
import UnixSignals

let arguments = CommandLine.arguments.dropFirst()
let manner = arguments.first ?? ""
let options = ServiceOptions(name: "probe", configurationFiles: Array(arguments.dropFirst()))
let besideImmovable = manner == "failBesideImmovable"
var observation: LifecycleObservation?

ServiceMain.run(options, with: [.socket]) { service in
    let cue = ServiceReadiness()
    let (cued, continuation) = AsyncStream.makeStream(of: Never.self)
    observation = service.mediator.addObserver(forName: .flushRequested) { _ in
        cue.signal()
        continuation.finish()
    }
    // Signals that Belfry must not pass on, because it handles them itself.
    var group = ServiceGroupConfiguration(
        services: [
            .init(service: ProbeService("a", besideImmovable ? "immovable" : "serve", cued), serviceName: "a"),
            .init(service: ProbeService("b", besideImmovable ? "fail" : manner, cued), serviceName: "b"),
        ],
        gracefulShutdownSignals: [.sigterm, .sigusr1], logger: Logger(label: "probe") { _ in SwiftLogNoOpLogHandler() })
    if !besideImmovable { group.services[1].failureTerminationBehavior = .gracefullyShutdownGroup }
    group.services[1].successTerminationBehavior = .gracefullyShutdownGroup
    try service.addServiceGroup(
        group, readiness: ["slow", "refuse"].contains(manner) ? cue : nil,
        shutdownDeadline: besideImmovable ? .milliseconds(200) : nil)
}
