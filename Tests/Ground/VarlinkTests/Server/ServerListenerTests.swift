// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import BelfryEventLoop
import Foundation
import BelfryLinux
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct ServerListenerTests {
    let fixture: ServerFixture

    init() throws { fixture = try ServerFixture(listening: false) }

    private func expectService() throws {
        let peer = try fixture.peer()
        peer.write(VarlinkCall("org.example.test.Echo"))
        #expect(try fixture.receive(1, peer) == ["{}"])
    }

    /// Creates the file that a killed service does not remove.
    private func createStaleSocket() throws {
        close(try SystemError.check(belfry_unix_listen(fixture.path, 1), verb: "listen on", object: fixture.path))
        #expect(FileManager.default.fileExists(atPath: fixture.path))
    }

    @Test func staleSocketIsReplaced() throws {
        try createStaleSocket()

        try fixture.server.listen(on: fixture.path)

        try expectService()
    }

    @Test func socketOfARunningServiceIsNotReplaced() throws {
        let living = try ServerFixture()
        let error = SystemError(EADDRINUSE, verb: "listen on", object: living.path)

        #expect(throws: error) { try fixture.server.listen(on: living.path) }

        #expect("\(error)" == "unable to listen on '\(living.path)': Address already in use (EADDRINUSE)")
        let peer = try living.peer()
        peer.write(VarlinkCall("org.example.test.Echo"))
        #expect(try living.receive(1, peer).count == 1)
    }

    @Test func otherFileIsNotReplaced() throws {
        try Data("precious".utf8).write(to: URL(fileURLWithPath: fixture.path))

        #expect(throws: SystemError(EADDRINUSE, verb: "listen on", object: fixture.path)) {
            try fixture.server.listen(on: fixture.path)
        }

        #expect(try String(contentsOfFile: fixture.path, encoding: .utf8) == "precious")
    }

    @Test func lockOnTheDirectoryDoesNotPreventListening() throws {
        let folder = open(URL(fileURLWithPath: fixture.path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        #expect(flock(folder, LOCK_EX | LOCK_NB) == 0)

        try fixture.server.listen(on: fixture.path)

        try expectService()
        var status = stat()
        #expect(stat(fixture.path + ".lock", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func lockFileOpenToOthersIsRefused() throws {
        close(creat(fixture.path + ".lock", 0o600))
        chmod(fixture.path + ".lock", 0o644)

        #expect(throws: SystemError(EPERM, verb: "use", object: fixture.path + ".lock")) {
            try fixture.server.listen(on: fixture.path)
        }
    }

    @Test func boundSocketThatDoesNotListenIsRefused() throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        let object = "descriptor \(descriptor), which does not listen"

        #expect(throws: SystemError(EINVAL, verb: "listen on", object: object)) {
            try fixture.server.listen(onActivated: descriptor)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bound = withUnsafePointer(to: &address) {
            // The kernel chooses an abstract address for an empty name (unix(7), autobind).
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size))
            }
        }
        #expect(bound == 0)

        #expect(throws: SystemError(EINVAL, verb: "listen on", object: object)) {
            try fixture.server.listen(onActivated: descriptor)
        }
    }

    @Test func linkToAStaleSocketIsNotReplaced() throws {
        try createStaleSocket()
        let link = fixture.path + ".link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.path)

        #expect(throws: SystemError(EADDRINUSE, verb: "listen on", object: link)) {
            try fixture.server.listen(on: link)
        }

        #expect(FileManager.default.fileExists(atPath: fixture.path))
    }

    @Test func missingDirectoryIsAnError() {
        let path = fixture.directory.path("none/socket")

        #expect(throws: SystemError(ENOENT, verb: "listen on", object: path)) { try fixture.server.listen(on: path) }
    }

    @Test func overlongPathIsAnError() {
        let path = fixture.directory.path(String(repeating: "x", count: 120))

        #expect(throws: SystemError(ENAMETOOLONG, verb: "listen on", object: path)) {
            try fixture.server.listen(on: path)
        }
    }

    @Test func closedServerRemovesItsSocket() throws {
        try fixture.server.listen(on: fixture.path)

        fixture.server.close()

        #expect(!FileManager.default.fileExists(atPath: fixture.path))
    }

    @Test func closedServerKeepsTheSocketOfItsSuccessor() throws {
        try fixture.server.listen(on: fixture.path)
        unlink(fixture.path)
        let successor = belfry_unix_listen(fixture.path, 1)
        defer { close(successor) }

        fixture.server.close()

        #expect(FileManager.default.fileExists(atPath: fixture.path))
    }

    @Test func socketHasItsMode() throws {
        try fixture.server.listen(on: fixture.path, mode: 0o660)

        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path)
        #expect(attributes[.posixPermissions] as? Int == 0o660)
    }

    @Test func abstractNameIsServed() throws {
        let name = "@\(UUID().uuidString)"
        try fixture.server.listen(on: name)
        let peer = try Peer(name)

        peer.write(VarlinkCall("org.example.test.Echo"))

        #expect(try fixture.receive(1, peer).count == 1)
    }

    @Test func activatedSocketIsServedAndItsFileKept() throws {
        let descriptor = belfry_unix_listen(fixture.path, 16)
        let early = try fixture.peer()
        early.write(VarlinkCall("org.example.test.Echo"))

        try fixture.server.listen(onActivated: descriptor)

        #expect(try fixture.receive(1, early).count == 1)
        try expectService()
        fixture.server.close()
        #expect(FileManager.default.fileExists(atPath: fixture.path))
    }

    @Test func descriptorThatDoesNotListenIsRefused() throws {
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }

        #expect(throws: SystemError.self) { try fixture.server.listen(onActivated: descriptor) }
    }

    @Test func missingDescriptorsAreReportedOnce() throws {
        try fixture.server.listen(on: fixture.path)
        let peer = try fixture.peer()
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        let used = dup(0)
        close(used)
        var low = rlimit(rlim_cur: rlim_t(used), rlim_max: old.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)

        for _ in 0..<50 { try fixture.loop.turn(waiting: .zero) }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)

        #expect(
            fixture.problems.map(\.kind) == [.system(SystemError(EMFILE, verb: "accept on", object: "socket"))])
        peer.write(VarlinkCall("org.example.test.Echo"))
        #expect(try fixture.receive(1, peer).count == 1)
    }
}
