// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc
import LifecycleTesting
import Testing

@testable import FirstListeners

final class VideoListenerTests {
    private let script = LifecycleScript()
    private let folder: String
    private let video: VideoListener

    init() throws {
        var template = Array("/tmp/video-\(String(repeating: "X", count: 6))".utf8CString)
        folder = String(cString: try #require(mkdtemp(&template)))
        video = VideoListener(try MainEventLoop(), folder)
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

    @Test func directoryThatIsNotThereRefusesTheLaunch() async throws {
        let script = LifecycleScript()
        try script.mediator.addListener(VideoListener(try MainEventLoop(), "/nowhere"))

        await script.run(.perform(.launch))

        #expect(script.mediator.state == .notRunning)
    }
}
