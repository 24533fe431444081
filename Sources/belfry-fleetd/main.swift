// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

ServiceMain.run(ServiceOptions(name: "belfry-fleetd")) { _ in }
