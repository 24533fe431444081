// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service of listeners that know nothing of signals: a video, its clients, a cache and, built in, a log.

import Belfry
import BelfryCacheFlush
import BelfryServer
import BelfrySocket

let options = ServiceOptions(
    name: "videod", version: "1.0", about: "Plays a video.", arguments: CommandLine.arguments)
ServiceMain.run(options, with: [.socket, .cacheFlush]) { service in
    let settings = try service.settings(VideoSettings.self, section: "Video")
    let video = VideoListener(service.loop, service.mediator, settings.value.frames)
    try service.mediator.addListener(video)
    try service.mediator.addListener(SocketListener(service, { settings.value(in: $0).listen }, video))
}

/// The section `[Video]` of videod.conf.
nonisolated struct VideoSettings: Decodable, Sendable {
    /// Where clients connect; a reload may change it.
    var listen: ServerAddress
    /// The directory of decoded frames.
    var frames: String
}
