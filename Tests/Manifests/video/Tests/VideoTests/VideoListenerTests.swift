// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import LifecycleTesting
import Testing
import Video

@Test func pausesWithTheService() async throws {
    let script = LifecycleScript()
    let video = VideoListener()
    try script.mediator.addListener(video)

    await script.run(.perform(.launch), .perform(.pause))

    #expect(!video.isPlaying)
    #expect(script.problems == [])
}
