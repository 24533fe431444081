// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

struct DocumentationTests {
    @Test func everyNotificationOfTheCatalogueIsInTheTable() throws {
        let table = try String(
            contentsOf: ProjectFile.url("Sources/Lifecycle/Lifecycle/Lifecycle.docc/UIApplicationDelegateTable.md"),
            encoding: .utf8)

        for name in LifecycleNotification.Name.catalogue { #expect(table.contains("`\(name)`"), "\(name)") }
    }
}

/// The services in the samples run.
@MainActor @Suite(.timeLimit(.minutes(1)))
struct SampleTests {
    @Test(arguments: ["blinkd", "cached", "logged", "measured", "stored", "videod", "videodWithSocket"])
    func serviceBecomesReadyAndStops(sample: String) throws {
        let fixture = DaemonFixture()

        let service = try fixture.start("DocumentationSnippets", [], environment: ["SAMPLE": sample])

        #expect(fixture.manager.wait(for: "READY=1"))
        #expect(service.stop().status == 0)
    }

    @Test func settingsOfTheSampleAreCheckedBeforeTheStart() throws {
        let fixture = DaemonFixture()
        let check = { (configuration: String) throws in
            try fixture.start(
                "DocumentationSnippets", ["--check-config", "--config"], configuration,
                environment: ["SAMPLE": "thumbd"]
            ).finish()
        }

        #expect(try check("[Thumbd]\nFormat=webp\nSizeMax=1.5G\nTimeout=1min 30s\nFolders=/a \"/b c\"\n").status == 0)
        #expect(try check("[Thumbd]\nFormat=wepb\n").status == 78)
    }
}

/// The tests in the article on testing, verbatim.
@Suite(.timeLimit(.minutes(1)))
struct TestingArticleTests {
    @Test func pausesWithTheService() async throws {
        let script = LifecycleScript()
        let listener = PlayerListener()
        try script.mediator.addListener(listener)

        await script.run(.perform(.launch), .perform(.pause))

        #expect(listener.isPlaying == false)
        #expect(script.notificationNames.suffix(2) == ["willResignActive", "didEnterBackground"])
        #expect(script.problems == [])
    }

    @Test func countsUploads() async throws {
        let script = LifecycleScript()
        let listener = UploadCounter()
        try script.mediator.addListener(listener)

        await script.run(.perform(.launch), .post(Uploaded(path: "/a", bytes: 3)), .perform(.stop, Termination(.stop)))

        #expect(listener.bytes == 3)
        #expect(script.events(Uploaded.self).map(\.path) == ["/a"])
    }

    @Test func stopsThoughAnotherHangs() async throws {
        let script = LifecycleScript()
        let listener = PlayerListener()
        let hanging = RecordingListener("hanging", [.willTerminate], deadline: .seconds(5), behavior: .waiting)
        try script.mediator.addListener(listener)
        try script.mediator.addListener(hanging)

        await script.run(.perform(.launch), .perform(.stop), .advance(.seconds(5)))

        #expect(script.problems == ["willTerminate: hanging: no answer within its deadline"])
        #expect(listener.isPlaying == false)
    }

    @Test func livesWithoutProblems() async throws {
        let script = LifecycleScript()
        try script.mediator.addListener(PlayerListener())

        await script.run(
            .perform(.launch), .perform(.pause), .perform(.resume), .perform(.interrupt), .perform(.resume),
            .perform(.reload), .perform(.stop))

        #expect(script.problems == [])
        #expect(script.mediator.state == .notRunning)
    }
}

/// The listener of the article on testing.
final class PlayerListener: LifecycleListener {
    private(set) var isPlaying = false

    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { [self] _ in isPlaying = true }
        on(.willResignActive) { [self] _ in isPlaying = false }
    }
}

/// The listener for events in the article on testing.
final class UploadCounter: LifecycleListener {
    private(set) var bytes = 0

    var answers: [LifecycleAnswer] {
        onEvent(Uploaded.self) { [self] in bytes += $0.bytes }
    }
}
