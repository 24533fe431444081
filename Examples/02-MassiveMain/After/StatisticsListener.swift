// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Counts what the video shows. It says on its own that it comes after the video, wherever it was added.
final class StatisticsListener: LifecycleListener {
    private let video: VideoListener

    init(video: VideoListener) { self.video = video }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { _ in print("statistics: started") }
        on(.flushRequested) { [video] _ in print("statistics: \(video.frames) frames") }
        on(.willTerminate) { [video] _ in print("statistics: \(video.frames) frames in all") }
    }

    var follows: [String] { ["VideoListener"] }
}
