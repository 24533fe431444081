// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryCacheFlush
import BelfrySocket

func cached() {
    ServiceMain.run(ServiceOptions(name: "thumbd"), with: [.socket, .cacheFlush])
}
