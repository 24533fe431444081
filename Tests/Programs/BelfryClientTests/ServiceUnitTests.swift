// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Testing

@testable import BelfryClient

struct ServiceUnitTests {
    @Test(
        arguments: [
            ("/run/belfry/io.belfry.Lifecycle", "belfryd"),
            ("/run/belfry@video/io.belfry.Lifecycle", "belfryd@video"),
            ("/run/videod/io.belfry.Lifecycle", "videod"), ("/run/belfryx/io.belfry.Lifecycle", "belfryx"),
            ("/run/user/7/belfry@video/io.belfry.Lifecycle", "belfryd@video"), ("/run/videod/other", nil),
            ("/run/user/7/io.belfry.Lifecycle", nil), ("/run/users/7/belfry/io.belfry.Lifecycle", nil),
            ("/run/io.belfry.Lifecycle", nil), ("/run//io.belfry.Lifecycle", nil),
            ("run/videod/io.belfry.Lifecycle", nil), ("@videod", nil), ("", nil),
        ] as [(String, String?)])
    func unitHasTheNameOfTheDirectory(socket: String, name: String?) {
        #expect(ServiceUnit(socket: socket)?.name == name)
    }
}
