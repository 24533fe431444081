// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service that logs with swift-log before it runs, when it is assembled, on another thread at `flushRequested` (SIGUSR1), and
// after its end. The arguments are configuration files.

import Belfry
import BelfryLogging
import BelfrySocket
import Glibc
import Logging

LoggingSystem.bootstrap(BelfryLogHandler.init)
let logger = Logger(label: "probe.main")
logger.info("before", metadata: ["request-id": "7"])
var observation: LifecycleObservation?

let options = ServiceOptions(name: "probe", configurationFiles: Array(CommandLine.arguments.dropFirst()))
ServiceMain.run(options, with: [.socket, .logging]) { service in
    logger.notice("assembled", metadata: ["colours": ["red", "blue"], "detail": "two words"])
    observation = service.mediator.addObserver(forName: .flushRequested) { _ in
        logger.debug("flushing on the main thread")
        Task.detached { logger.info("flushing on another thread") }
    }
    atexit { Logger(label: "probe.exit").warning("after") }
}
