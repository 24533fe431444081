// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// An echo server that keeps its clients through `systemctl restart`.

import Belfry

ServiceMain.run(ServiceOptions(name: "echo-server")) { service in
    try service.mediator.addListener(EchoListener(service.descriptors, service.loop))
}
