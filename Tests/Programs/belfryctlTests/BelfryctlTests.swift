// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import Testing

@testable import belfryctl

struct BelfryctlTests {
    @Test(arguments: [["history", "-n1", "willTerminate"], ["history", "-n", "1", "willTerminate"]])
    func numberMayBePartOfTheOption(arguments: [String]) throws {
        let history = try Belfryctl.parseAsRoot(arguments) as? HistoryCommand

        #expect(history?.lines == 1 && history?.names == ["willTerminate"])
    }

    @Test(arguments: [["-i", "video", "history"], ["history", "-i", "video"], ["history", "--instance=video"]])
    func instanceMayPrecedeOrFollowTheCommand(arguments: [String]) throws {
        let history = try Belfryctl.parseAsRoot(arguments) as? HistoryCommand

        #expect(history?.connection.instance == "video")
        #expect(
            history?.connection.path(environment: ["BELFRY_SOCKET": "/x"]).hasSuffix(
                "/belfry@video/io.belfry.Lifecycle") == true)
    }
}
