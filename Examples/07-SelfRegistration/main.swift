// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service whose main names none of its listeners. It stops when it has launched.

import Belfry

var launched: LifecycleObservation?
let folder = #filePath.dropLast("main.swift".count)
ServiceMain.run(ServiceOptions(name: "self-registration", configurationFiles: [folder + "belfry.conf"])) { service in
    let mediator = service.mediator
    launched = mediator.addEventObserver(for: .transitionEnded) {
        guard case .transitionEnded(let report) = $0, report.trigger == .launch else { return }
        print("listeners of our own: \(mediator.listeners.map(\.name).filter { $0.hasSuffix("Listener") })")
        Task { mediator.perform(.stop) }
    }
}
