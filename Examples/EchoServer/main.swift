// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// An echo server that keeps its clients through `systemctl restart`.

import Belfry
import BelfryServer

ServiceMain.run(ServiceOptions(name: "echo-server")) { service in
    let echo = EchoListener(service)
    try service.mediator.addListener(echo)
    try service.mediator.addListener(ConnectionServer(service, at: .systemd("echo"), echo.add))
}
