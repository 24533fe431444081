// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryLogging
import Logging

func logged() {
    LoggingSystem.bootstrap(BelfryLogHandler.init)
    ServiceMain.run(ServiceOptions(name: "videod"), with: [.logging]) { service in
        Logger(label: "video.store").notice("opened", metadata: ["path": "/srv/videos"])
    }
}
