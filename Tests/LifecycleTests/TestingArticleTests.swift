// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// The tests in the article on testing, word for word.
@Suite(.timeLimit(.minutes(1)))
struct TestingArticleTests {
    @Test func pausesWithTheService() async throws {
        let script = LifecycleScript()
        let listener = PlayerListener()
        try script.mediator.addListener(listener)

        await script.run(.perform(.launch), .perform(.pause))

        #expect(listener.isPlaying == false)
        #expect(script.told.suffix(2) == ["willResignActive", "didEnterBackground"])
        #expect(script.problems == [])
    }

    @Test func stopsThoughAnotherHangs() async throws {
        let script = LifecycleScript()
        let listener = PlayerListener()
        let hanging = RecordingListener("hanging", [.willTerminate], deadline: .seconds(5), manner: .waiting)
        try script.mediator.addListener(listener)
        try script.mediator.addListener(hanging)

        await script.run(.perform(.launch), .perform(.stop), .advance(.seconds(5)))

        #expect(script.problems == ["willTerminate: hanging: no answer within its deadline"])
        #expect(listener.isPlaying == false)
    }

    @Test func playsByTheRules() async throws {
        #expect(try await ListenerConformance().check { PlayerListener() } == [])
    }

    @Test func keepsTheRulesWithSettings() async throws {
        var conformance = ListenerConformance(patience: .seconds(5))
        conformance.configuration[PlayerSettings.self] = PlayerSettings(volume: 3)

        let failures = try await conformance.check { mediator, clock in
            PlayerListener(mediator: mediator, clock: clock)
        }

        #expect(failures == [])
    }
}
