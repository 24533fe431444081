// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfrySocket
internal import CBenchmark
internal import Glibc
internal import Lifecycle

// Usage: SignalBelfry PAGE CONFIGURATION SOCKET
// A service with the library. Single signals go to a listener, the burst goes to an observer.
let page = benchmark_page_open(CommandLine.arguments[1], 1)
guard let burst = LifecycleNotification.Name("burst") else { exit(64) }
let options = ServiceOptions(
    name: "signal-benchmark", configurationFiles: [CommandLine.arguments[2]], socketPath: CommandLine.arguments[3])
var observation: LifecycleObservation?
ServiceMain.run(options, with: [.socket]) { service in
    try service.mediator.addListener(SignalListener(page))
    observation = service.mediator.addObserver(forName: burst) { notification in
        guard case .signal(let signal) = notification.origin else { return }
        benchmark_page_note_burst(page, signal.value, signal.pid)
    }
}
