// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry

// A service that adds nothing of its own to the library.
ServiceMain.run(ServiceOptions(name: "empty-service"))
