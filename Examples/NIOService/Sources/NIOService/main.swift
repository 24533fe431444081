// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServer
import BelfrySocket

ServiceMain.run(ServiceOptions(name: "echo"), with: [.socket]) { service in
    let isPassed = service.descriptors.names.contains("echo")
    let address: ServerAddress = isPassed ? .systemd("echo") : .port(7007)
    try service.mediator.addListener(ConnectionServer(service, named: "echo", at: address, echo))
}
