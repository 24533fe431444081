// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfrySocket

// The empty service with a socket for belfryctl.
ServiceMain.run(ServiceOptions(name: "socket-service"), with: [.socket])
