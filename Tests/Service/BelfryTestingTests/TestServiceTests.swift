// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryTesting
import Glibc
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TestServiceTests {
    nonisolated struct Volume: Decodable, Sendable {
        var level = 1
    }

    private func contents(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        return fgets(&line, 256, file).map { String(cString: $0) }
    }

    @Test(arguments: ["[Player]\nLevel=loud\n", "[Unknown]\nKey=1\n", "[Service]\nStopTimeout=soon\n", "Level"])
    func settingsWithErrorsAreRefused(text: String) {
        #expect(throws: (any Error).self) {
            try TestService(settings: text) { _ = try $0.settings(Volume.self, section: "Player") }
        }
    }

    @Test func serviceIsReadyWhileItIsActiveAndNoStopWasAskedFor() async throws {
        let slow = RecordingListener("slow", [.willResignActive])
        let test = try TestService { try $0.mediator.addListener(slow) }
        #expect(!test.service.isReady)

        await test.script.run(.perform(.launch))
        #expect(test.service.isReady)
        await test.script.run(.perform(.pause))
        #expect(!test.service.isReady)
        await test.script.run(.perform(.resume))
        #expect(test.service.isReady)
        slow.behavior = .waiting
        test.service.mediator.perform(.stop) { _ in }
        #expect(test.service.mediator.state == .active && !test.service.isReady)

        slow.finish()
        try await test.until { test.service.mediator.state == .notRunning }
    }

    @Test func composeHasTheClockOfTheScript() async throws {
        let test = try TestService { service in
            try service.addWorker("timer") { try await service.clock.sleep(for: .seconds(5)) }
        }

        await test.script.run(.perform(.launch), .advance(.seconds(4)))
        #expect(test.service.mediator.state == .active)
        await test.script.run(.advance(.seconds(1)))
        try await test.until { test.service.mediator.state == .notRunning }
    }

    @Test func refusalsAreThoseOfLaunchesAndReloads() async throws {
        let strict = RecordingListener("strict", [.willReload], behavior: .throwing(LifecycleRefusal("not now")))
        let test = try TestService { try $0.mediator.addListener(strict) }

        await test.script.run(.perform(.launch), .perform(.reload), .perform(.pause))

        #expect(test.script.refusals == ["strict: not now"])
    }

    @Test func descriptorsArePassedByNameAndClosedIfNobodyReceivesThem() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var received: [OwnedDescriptor] = []
        do {
            let passed = [("queue", OwnedDescriptor(owning: ends[1]))] + [("other", try TestSocket().copy())]
            _ = try TestService(descriptors: passed) { received = $0.descriptors.receive(named: "other") }
        }

        var byte: UInt8 = 0
        // The end of the file: no descriptor for writing is left.
        #expect(read(ends[0], &byte, 1) == 0)
        #expect(received.count == 1 && fcntl(received[0].number, F_GETFD) >= 0)
    }

    /// A listener often refers to the service that it belongs to.
    @Test func listenersAreReleasedWithTheService() throws {
        weak var listener: LineListener?
        _ = try TestService { service in
            let made = try LineListener(service)
            listener = made
            try service.mediator.addListener(made)
        }

        #expect(listener == nil)
    }

    @Test func filesAreInAPrivateDirectoryThatIsRemoved() throws {
        var paths: [String] = []
        do {
            let test = try TestService { service in
                for directory in [service.runtimeDirectory, service.stateDirectory] {
                    paths.append(directory + "/file")
                }
            }
            for path in paths {
                let file = try #require(fopen(path, "w"))
                fputs("x", file)
                fclose(file)
            }
            try #require(symlink("/", test.service.stateDirectory + "/link") == 0)
            #expect(paths.map(contents(of:)) == ["x", "x"])
        }

        #expect(paths.map(contents(of:)) == [nil, nil])
        #expect(access("/", F_OK) == 0 && access((paths.first ?? "") + "/../..", F_OK) != 0)
    }

    @Test func failuresOfTheServiceAreRecorded() throws {
        let test = try TestService { $0.fail(LifecycleRefusal("no disk")) }

        #expect(test.failures as? [LifecycleRefusal] == [LifecycleRefusal("no disk")])
    }
}
