// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import Belfry

// The main of the documentation.

struct Thumbd: ParsableArguments {
    @Option var threads = 4
    @Argument(parsing: .allUnrecognized, help: "The options of every service.") var service: [String] = []
}

let arguments = Thumbd.parseOrExit()
ServiceMain.run(ServiceOptions(name: "thumbd", version: "1.4", arguments: ["thumbd"] + arguments.service)) { service in
    print(service.mediator.state, arguments.threads)
}
