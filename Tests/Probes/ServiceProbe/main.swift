// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service on the library, with a listener that behaves as the first argument says; the rest are configuration files.

import Belfry

let arguments = CommandLine.arguments.dropFirst()
let manner = arguments.first ?? ""
ServiceMain.run(ServiceOptions(name: "probe", configurationFiles: Array(arguments.dropFirst()))) { service in
    try service.mediator.addListener(MannerListener(manner))
    if manner == "count" { try service.mediator.addListener(LaunchCounter()) }
}
