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
        video = VideoListener(loop.loop, script.mediator, folder)
        try script.mediator.addListener(video)
    }

    deinit { system("rm -r '\(folder)'") }

    /// What the listener said that it did, in order.
    private var works: [String] { script.reports.flatMap(\.listeners).compactMap { $0.work?.text } }

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

    @Test func pauseEmptiesTheMemory() async throws {
        await script.run(.perform(.launch))
        try await loop.until { video.decoded.count > 1 }

        await script.run(.perform(.pause))
        let frame = video.frame
        #expect(video.decoded.isEmpty)
        await script.run(.perform(.resume))

        #expect(
            works == [
                "plays from frame 0", "stopped at frame \(frame)", "dropped \(frame) decoded frames from memory",
                "plays from frame \(frame)",
            ])
    }

    @Test(arguments: [LifecycleNotification.Name.flushRequested, .didReceiveMemoryWarning])
    func requestEmptiesTheMemoryOnce(name: LifecycleNotification.Name) async throws {
        await script.run(.perform(.launch))
        try await loop.until { video.decoded.count > 1 }
        // It shows no more frames, and keeps those that it has.
        await script.run(.perform(.interrupt))
        let count = video.decoded.count

        await script.run(.post(name), .post(name))

        #expect(video.decoded.isEmpty)
        #expect(works.dropFirst(2) == ["dropped \(count) decoded frames from memory"])
    }

    @Test func directoryThatIsNotThereRefusesTheLaunch() async throws {
        let script = LifecycleScript()
        try script.mediator.addListener(VideoListener(try MainEventLoop(), script.mediator, "/nowhere"))

        await script.run(.perform(.launch))

        #expect(script.mediator.state == .notRunning)
    }
}
