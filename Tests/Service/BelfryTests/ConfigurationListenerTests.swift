// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// A reload refuses changes that it cannot apply, on the real programs.
@Suite(.timeLimit(.minutes(2)))
struct ConfigurationListenerTests {
    let fixture = DaemonFixture()

    @Test func refusedReloadLogsEachErrorOnceAndADryRunNoError() throws {
        let daemon = try fixture.startReady("[Logger]\nFormat=json\n")
        try fixture.directory.write("belfry.conf", "[Signals]\nUSR3=stop\n")

        _ = try fixture.control("reload", "--dry-run", reading: .error)
        _ = try fixture.control("reload", reading: .error)

        let about = daemon.stop().lines.filter { $0.contains("USR3") && !$0.contains("didFailToReload") }
        let levels = about.map { $0.firstRange(of: #""PRIORITY":"6""#) == nil ? "error" : "information" }
        #expect(levels == ["information", "error"], "\(about)")
    }

    @Test func allChangesThatNeedARestartAreNamed() throws {
        let daemon = try fixture.startReady("[Socket]\nReplaySize=2M\n")
        let file = try fixture.directory.write("belfry.conf", "[Service]\nStateDirectory=/other\n")

        let reloaded = try fixture.control("reload", reading: .error)

        let keys = "[Service] StateDirectory= (\(file):2:1), [Socket] ReplaySize=: that takes a restart"
        #expect(reloaded.lines.contains { $0.contains(keys) })
        #expect(daemon.stop().status == 0)
    }

    @Test func serviceWithoutASocketIgnoresItsSettings() throws {
        let service = try fixture.startReady("ServiceProbe", ["store"])
        try fixture.directory.write("belfry.conf", "[Socket]\nPath=@other\n")

        service.send(SIGHUP)

        service.lines(until: "willReload")
        #expect(service.lines(until: "Reload").last?.contains("didReload") == true)
        #expect(service.stop().status == 0)
    }
}
