// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

@testable import BelfryClient

struct ServiceUnitTests {
    @Test(
        arguments: [
            ("/run/belfry/io.belfry.Lifecycle", "belfryd"),
            ("/run/belfry@video/io.belfry.Lifecycle", "belfryd@video"),
            ("/run/videod/io.belfry.Lifecycle", "videod"), ("/run/belfryx/io.belfry.Lifecycle", "belfryx"),
            ("/run/user/7/belfry/io.belfry.Lifecycle", nil), ("/run/videod/other", nil),
            ("/run/io.belfry.Lifecycle", nil), ("/run//io.belfry.Lifecycle", nil),
            ("run/videod/io.belfry.Lifecycle", nil), ("@videod", nil), ("", nil),
        ] as [(String, String?)])
    func unitHasTheNameOfTheDirectory(socket: String, name: String?) {
        #expect(ServiceUnit(socket: socket)?.name == name)
    }

    @Test(arguments: ["/etc/systemd/system/belfryd@video.socket", "/usr/lib/systemd/system/belfryd@.socket"])
    func inactiveServiceWithASocketUnitIsLeftAlone(socketUnit: String) throws {
        let directory = try TemporaryDirectory()
        let socket = directory.path("run/belfry@video/io.belfry.Lifecycle")
        let unit = try #require(ServiceUnit(socket: socket, root: directory.url.path))
        try directory.write("run/systemd/units/other", "")

        #expect(unit.mayRun)
        try directory.write(socketUnit, "[Socket]")
        #expect(!unit.mayRun)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("run/systemd/units/invocation:belfryd@video.service"), withDestinationPath: "0a")
        #expect(unit.mayRun)
    }
}
