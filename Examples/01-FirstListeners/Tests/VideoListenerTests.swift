// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryTesting
import Glibc
import LifecycleTesting
import Testing

@testable import FirstListeners

final class VideoListenerTests {
    private let script = LifecycleScript()
    private let loop: TestLoop
    private let folder: String
    private let video: VideoListener

    init() throws {
        var template = Array("/tmp/video-\(String(repeating: "X", count: 6))".utf8CString)
        folder = String(cString: try #require(mkdtemp(&template)))
        loop = try TestLoop()
        video = VideoListener(loop.loop, folder)
        try script.mediator.addListener(video)
    }

    deinit { system("rm -r '\(folder)'") }

    @Test func positionIsRestored() {
        video.decodeRestorableState(VideoListener.Position(frame: 41))

        #expect(video.frame == 41)
        #expect(video.encodeRestorableState().frame == 41)
    }

    @Test func cacheIsTagged() async {
        await script.run(.perform(.launch))

        #expect(system("grep -q '^Signature: 8a477f597d28d172789f06886806bc55' '\(folder)/CACHEDIR.TAG'") == 0)
        #expect(script.errors.isEmpty)
    }

    @Test func playsWhileTheServiceIsActive() async throws {
        await script.run(.perform(.launch))
        try await loop.until { video.frame > 2 }
        await script.run(.perform(.pause))
        let frame = video.frame
        // Frames that were due before this timer would have been shown.
        var hasFired = false
        let timer = try loop.loop.timer(after: .milliseconds(200)) { hasFired = true }
        try await loop.until { hasFired && !timer.isCancelled }
        #expect(video.frame == frame)

        await script.run(.perform(.resume))
        try await loop.until { video.frame > frame }
    }

    @Test func flushEmptiesTheMemory() async throws {
        await script.run(.perform(.launch))
        try await loop.until { !video.decoded.isEmpty }
        await script.run(.perform(.pause))

        video.flush(.full)

        #expect(video.decoded.isEmpty)
    }

    @Test func directoryThatIsNotThereRefusesTheLaunch() async throws {
        let script = LifecycleScript()
        try script.mediator.addListener(VideoListener(try MainEventLoop(), "/nowhere"))

        await script.run(.perform(.launch))

        #expect(script.mediator.state == .notRunning)
    }
}
