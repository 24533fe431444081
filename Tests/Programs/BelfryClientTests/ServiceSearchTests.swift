// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import CBelfry
import Foundation
import Glibc
import TestSupport
import Testing

struct ServiceSearchTests {
    private let directory = try! TemporaryDirectory()  // Without it, no test can do anything.

    private func sockets(uid: UInt32 = geteuid()) -> [String] {
        let environment = ["XDG_RUNTIME_DIR": directory.path("user")]
        return ServiceSearch.sockets(environment: environment, uid: uid, root: directory.url.path)
            .map { String($0.dropFirst(directory.url.path.count)) }
    }

    /// Makes a socket of this name.
    private func bind(_ name: String) throws {
        let path = directory.path(name)
        let above = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: above, withIntermediateDirectories: true)
        let listener = belfry_unix_listen(path, 1)
        #expect(listener >= 0)
        close(listener)
    }

    @Test func socketsOfTheSystemAndOfTheUserAreFound() throws {
        for name in ["run/videod", "run/belfry@a", "user/belfry"] { try bind("\(name)/io.belfry.Lifecycle") }
        try bind("run/io.belfry.Lifecycle")
        try bind("run/a/b/io.belfry.Lifecycle")
        try directory.write("run/file/io.belfry.Lifecycle", "")

        let system = ["/run/belfry@a/io.belfry.Lifecycle", "/run/videod/io.belfry.Lifecycle"]
        #expect(sockets() == system + ["/user/belfry/io.belfry.Lifecycle"])
        #expect(sockets(uid: geteuid() + 1) == system)
    }
}
