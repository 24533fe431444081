// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#if os(Linux)
import Belfry
import BelfrySocket
import Video

ServiceMain.run(ServiceOptions(name: "videod"), with: [.socket]) { service in
    try service.mediator.addListener(VideoListener())
}
#endif
