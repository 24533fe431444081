// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryConfiguration
import BelfryLogging
import Logging

LoggingSystem.bootstrap(BelfryLogHandler.init)

let about = """
    Tells a fleet about the service of this host, over an MQTT 5 broker, and has it do
    what others may ask for. 'belfry-fleet' shows and controls the hosts.
    """
let options = ServiceOptions(
    name: "belfry-fleetd", fileName: "belfry-fleet", configurationName: ("belfry", "fleet"),
    version: ReleaseVersion.current, about: about, arguments: CommandLine.arguments)
ServiceMain.run(options, with: [.logging]) { service in
    try service.mediator.addListener(FleetListener(service))
}
