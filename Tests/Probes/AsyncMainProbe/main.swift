// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service that is started from an asynchronous main, which ServiceMain refuses.

import Belfry

await Task.yield()
ServiceMain.run(ServiceOptions(name: "async-main"))
