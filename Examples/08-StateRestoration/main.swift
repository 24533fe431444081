// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A player that runs twice. The second process continues where the first one stopped.

import Belfry
import Glibc

guard CommandLine.arguments.contains("play") else {
    for _ in 1...2 { system("'\(CommandLine.arguments[0])' play") }
    exit(0)
}
ServiceMain.run(ServiceOptions(name: "player", configurationFiles: ["/dev/null"], logLevel: "err")) { service in
    try service.mediator.addListener(PlayerListener())
    service.observe(.didBecomeActive) { _ in Task { service.mediator.perform(.stop) } }
}
