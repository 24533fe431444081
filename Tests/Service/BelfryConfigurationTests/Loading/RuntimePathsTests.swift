// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct RuntimePathsTests {
    private let everything = [
        "BELFRY_SOCKET": "@bell", "RUNTIME_DIRECTORY": "/run/tower", "STATE_DIRECTORY": "/var/lib/tower",
        "XDG_RUNTIME_DIR": "/run/user/7", "XDG_STATE_HOME": "/home/ringer/state", "HOME": "/home/ringer",
        "TMPDIR": "/var/tmp",
    ]

    private func paths(without missing: [String] = [], uid: UInt32 = 7) -> RuntimePaths {
        RuntimePaths(environment: everything.filter { !missing.contains($0.key) }, uid: uid)
    }

    @Test func directoriesHaveTheirPrecedence() {
        let unit = ["BELFRY_SOCKET", "RUNTIME_DIRECTORY", "STATE_DIRECTORY"]
        let user = unit + ["XDG_RUNTIME_DIR", "XDG_STATE_HOME"]

        #expect(paths().socketPath == "@bell")
        #expect(paths().runtimeDirectory == "/run/tower")
        #expect(paths().stateDirectory == "/var/lib/tower")
        #expect(paths(without: ["BELFRY_SOCKET"]).socketPath == "/run/tower/io.belfry.Lifecycle")
        #expect(paths(without: unit).socketPath == "/run/user/7/belfry/io.belfry.Lifecycle")
        #expect(paths(without: unit).stateDirectory == "/home/ringer/state/belfry")
        #expect(paths(without: user).socketPath == "/var/tmp/belfry-7/io.belfry.Lifecycle")
        #expect(paths(without: user).stateDirectory == "/home/ringer/.local/state/belfry")
        #expect(paths(without: user + ["TMPDIR", "HOME"]).runtimeDirectory == "/tmp/belfry-7")
        #expect(paths(without: user + ["TMPDIR", "HOME"]).stateDirectory == "/tmp/belfry-7/state")
    }

    @Test func rootUsesTheSystemDirectories() {
        let root = paths(without: ["BELFRY_SOCKET", "RUNTIME_DIRECTORY", "STATE_DIRECTORY"], uid: 0)

        #expect(root.socketPath == "/run/belfry/io.belfry.Lifecycle")
        #expect(root.stateDirectory == "/var/lib/belfry")
        #expect(paths(uid: 0).runtimeDirectory == "/run/tower")
    }

    @Test func directoriesHaveTheNameOfTheService() {
        let user = RuntimePaths(
            environment: ["XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/home/ringer"], uid: 7, name: "thumbd")
        let root = RuntimePaths(environment: [:], uid: 0, name: "thumbd")

        #expect(user.runtimeDirectory == "/run/user/7/thumbd")
        #expect(user.stateDirectory == "/home/ringer/.local/state/thumbd")
        #expect(RuntimePaths(environment: [:], uid: 7, name: "thumbd").runtimeDirectory == "/tmp/thumbd-7")
        #expect(root.socketPath == "/run/thumbd/io.belfry.Lifecycle")
        #expect(root.stateDirectory == "/var/lib/thumbd")
    }

    @Test func argumentsPrecedeTheEnvironment() {
        let paths = RuntimePaths(
            environment: everything.filter { $0.key != "BELFRY_SOCKET" }, uid: 7, runtimeDirectory: "/given/run/",
            stateDirectory: "/given/state")

        #expect(paths.socketPath == "/given/run/io.belfry.Lifecycle")
        #expect(paths.stateDirectory == "/given/state")
    }

    @Test(arguments: ["", "relative/path", ":/second"])
    func relativePathCountsAsNotSet(_ value: String) {
        let paths = RuntimePaths(environment: ["XDG_RUNTIME_DIR": value, "XDG_STATE_HOME": value], uid: 7)

        #expect(paths.runtimeDirectory == "/tmp/belfry-7")
    }

    @Test func firstOfSeveralDirectoriesCounts() {
        let paths = RuntimePaths(environment: ["RUNTIME_DIRECTORY": "/run/tower:/run/other"], uid: 7)

        #expect(paths.runtimeDirectory == "/run/tower")
    }

    @Test func clientsPreferTheSystemSocketByDefault() {
        let user = paths(without: ["BELFRY_SOCKET", "RUNTIME_DIRECTORY"])
        let unit = paths(without: ["BELFRY_SOCKET"])
        let system = "/run/belfry/io.belfry.Lifecycle"

        #expect(user.clientSocketPath { $0 == system } == system)
        #expect(user.clientSocketPath { _ in false } == "/run/user/7/belfry/io.belfry.Lifecycle")
        #expect(unit.clientSocketPath { _ in true } == "/run/tower/io.belfry.Lifecycle")
        #expect(paths().clientSocketPath { _ in true } == "@bell")
    }
}
