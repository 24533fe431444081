// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryTesting
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WorkerTests {
    /// What a worker waits for.
    private final class Cue {
        var continuation: CheckedContinuation<Void, any Error>?
        var begun = 0
        var isCancelled = false

        func wait() async throws {
            begun += 1
            try await withCheckedThrowingContinuation { continuation = $0 }
        }

        func waitUntilCancelled() async throws {
            begun += 1
            while !Task.isCancelled { await Task.yield() }
            isCancelled = true
            try Task.checkCancellation()
        }
    }

    private let cue = Cue()

    private func launched(_ run: @escaping () async throws -> Void) async throws -> TestService {
        let test = try TestService { try $0.addWorker("jobs", run) }
        await test.script.run(.perform(.launch))
        return test
    }

    @Test func workBeginsWithTheLaunchAndIsCancelledByAStop() async throws {
        let test = try await launched(cue.waitUntilCancelled)
        #expect(test.service.mediator.state == .active && cue.begun == 1)

        await test.script.run(.perform(.pause), .perform(.resume))
        #expect(!cue.isCancelled)
        await test.script.run(.perform(.stop))

        try await test.until { test.service.mediator.state == .notRunning }
        #expect(cue.isCancelled && test.failures.isEmpty && test.script.problems.isEmpty)
    }

    @Test func errorOfTheWorkFailsTheService() async throws {
        let test = try await launched(cue.wait)

        cue.continuation?.resume(throwing: LifecycleRefusal("out of paper"))

        try await test.until { !test.failures.isEmpty }
        #expect(test.failures.map { "\($0)" } == ["'jobs': out of paper"])
        await test.script.run(.perform(.stop))
    }

    @Test func errorDuringTheStopFailsTheServiceToo() async throws {
        let test = try await launched { [cue] in
            try? await cue.waitUntilCancelled()
            throw LifecycleRefusal("torn paper")
        }
        await test.script.run(.perform(.stop))

        try await test.until { test.service.mediator.state == .notRunning }
        #expect(test.failures.map { "\($0)" } == ["'jobs': torn paper"])
        #expect(test.script.problems == ["willTerminate: jobs: 'jobs': torn paper"])
    }

    @Test func errorAtTheEndOfARefusedLaunchIsNoFailure() async throws {
        let test = try TestService { [cue] service in
            try service.addWorker("jobs") {
                try? await cue.waitUntilCancelled()
                throw LifecycleRefusal("torn paper")
            }
            let refusing = RecordingListener("b", [.didFinishLaunching], behavior: .throwing(LifecycleRefusal("no")))
            try service.mediator.addListener(refusing)
        }
        await test.script.run(.perform(.launch))

        try await test.until { test.service.mediator.state == .notRunning }
        #expect(test.failures.isEmpty)
    }

    @Test func endOfTheWorkStopsTheService() async throws {
        let test = try await launched(cue.wait)

        cue.continuation?.resume()

        try await test.until { test.service.mediator.state == .notRunning }
        #expect(test.script.events(Termination.self).map(\.reason) == [.finished] && test.failures.isEmpty)
        #expect(test.script.notifications.last?.userInfo["worker"] == "jobs")
    }

    @Test func workThatIgnoresTheStopIsLateAtItsDeadline() async throws {
        let test = try TestService { try $0.addWorker("jobs", stopDeadline: .seconds(3), cue.wait) }
        await test.script.run(.perform(.launch), .perform(.stop), .advance(.seconds(3)))

        #expect(test.script.problems == ["willTerminate: jobs: no answer within its deadline"])
        #expect(test.service.mediator.state == .notRunning)
        cue.continuation?.resume()
    }

    @Test func workEndsWithARefusedLaunch() async throws {
        let test = try TestService {
            try $0.addWorker("jobs", cue.waitUntilCancelled)
            try $0.mediator.addListener(
                RecordingListener("no", [.didFinishLaunching], behavior: .throwing(LifecycleRefusal("not today"))))
        }
        await test.script.run(.perform(.launch))

        try await test.until { cue.isCancelled }
        #expect(test.failures.isEmpty)
    }

    private func failed(_ cue: Cue, in test: TestService) async throws {
        cue.continuation?.resume(throwing: LifecycleRefusal("out of paper"))
        try await test.until {
            let health = test.service.mediator.checkHealth().first?.health
            return health?.reason?.contains("begins again") == true || !test.failures.isEmpty
        }
    }

    @Test func workThatFailsBeginsAgainUpToALimit() async throws {
        let relaunch = WorkerRelaunch(delay: .seconds(1), delayMax: .seconds(3), burst: 3, interval: .seconds(60))
        let test = try TestService { [cue] in try $0.addWorker("jobs", relaunch: relaunch, cue.wait) }
        let mediator = test.service.mediator
        await test.script.run(.perform(.launch))

        for (count, delay) in [(1, Duration.seconds(1)), (2, .seconds(2)), (3, .seconds(3))] {
            try await failed(cue, in: test)
            let reason = "out of paper, begins again in \(delay), \(count) of 3"
            #expect(mediator.checkHealth().map(\.health) == [.degraded(reason)])
            await test.script.run(.advance(delay - .milliseconds(1)))
            #expect(cue.begun == count)
            await test.script.run(.advance(.milliseconds(1)))
            try await test.until { cue.begun == count + 1 }
            #expect(mediator.checkHealth().map(\.health) == [.degraded("out of paper, has begun again, \(count) of 3")])
        }
        try await failed(cue, in: test)

        let failure = "'jobs', after 3 relaunches within \(Duration.seconds(60)): out of paper"
        #expect(test.failures.map { "\($0)" } == [failure] && cue.begun == 4)
        // However long the stop takes, it does not get well.
        await test.script.run(.advance(.seconds(3)))
        #expect(mediator.checkHealth().map(\.health) == [.degraded(failure)])
        await test.script.run(.perform(.stop))
    }

    /// Such as at a background task that has expired.
    @Test(arguments: [true, false])
    func workThatFailsAtAStopDoesNotBeginAgain(isCancelled: Bool) async throws {
        let test = try TestService { [cue] in try $0.addWorker("jobs", relaunch: WorkerRelaunch(), cue.wait) }
        await test.script.run(.perform(.launch))
        let task = test.service.mediator.beginBackgroundTask(named: "job", deadline: .seconds(60))
        await test.script.run(.perform(.stop))
        cue.continuation?.resume(throwing: isCancelled ? CancellationError() : LifecycleRefusal("out of paper"))
        await test.script.run(.advance(.milliseconds(1)))

        let reasons = test.service.mediator.checkHealth().map(\.health.reason)
        #expect(reasons == (isCancelled ? [] : ["'jobs': out of paper"]))
        #expect(test.failures.map { "\($0)" } == (isCancelled ? [] : ["'jobs': out of paper"]))
        task.end()
        await test.script.run(.advance(.seconds(1)))
        #expect(cue.begun == 1 && test.service.mediator.state == .notRunning)
    }

    @Test func workThatHasBegunAgainIsHealthyWhenItHasLasted() async throws {
        let relaunch = WorkerRelaunch(delay: .seconds(2))
        let test = try TestService { [cue] in try $0.addWorker("jobs", relaunch: relaunch, cue.wait) }
        await test.script.run(.perform(.launch))
        try await failed(cue, in: test)
        await test.script.run(.advance(.seconds(2)))
        try await test.until { cue.begun == 2 }

        await test.script.run(.advance(.seconds(2) - .microseconds(1)))
        #expect(!test.service.mediator.checkHealth().isEmpty)
        await test.script.run(.advance(.microseconds(1)))

        #expect(test.service.mediator.checkHealth().isEmpty)
        await test.script.run(.perform(.stop))
    }

    @Test func oldFailuresDoNotCount() async throws {
        let relaunch = WorkerRelaunch(burst: 1, interval: .seconds(10))
        let test = try TestService { [cue] in try $0.addWorker("jobs", relaunch: relaunch, cue.wait) }
        await test.script.run(.perform(.launch))

        for count in 1...3 {
            try await failed(cue, in: test)
            await test.script.run(.advance(.seconds(1)))
            try await test.until { cue.begun == count + 1 }
            await test.script.run(.advance(.seconds(9)))
        }

        #expect(test.failures.isEmpty)
        try await failed(cue, in: test)
        // A stop does not wait for the next start.
        await test.script.run(.perform(.stop))
        try await test.until { test.service.mediator.state == .notRunning }
        #expect(test.failures.isEmpty && cue.begun == 4)
    }

    @Test func failureBeforeTheEndOfTheLaunchRefusesIt() async throws {
        let test = try TestService {
            try $0.addWorker("jobs", relaunch: WorkerRelaunch()) { throw LifecycleRefusal("no paper") }
        }
        await test.script.run(.perform(.launch))

        #expect(test.script.refusals == ["jobs: unable to start 'jobs': 'jobs': no paper"])
    }
}
