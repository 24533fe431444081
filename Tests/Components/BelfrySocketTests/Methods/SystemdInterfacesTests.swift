// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfryListeners
import BelfrySocket
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct SystemdInterfacesTests {
    let fixture: SocketFixture

    init() throws { fixture = try SocketFixture() }

    @Test func pingAnswers() throws {
        #expect(try fixture.call("io.systemd.service.Ping") == .success([:]))
    }

    @Test func reloadReturnsItsResult() throws {
        #expect(try fixture.call("io.systemd.service.Reload") == .success([:]))
        fixture.readConfiguration = { throw LifecycleReloadError(["bad"]) }
        let error = VarlinkError.failed(
            name: "io.belfry.Lifecycle.ReloadRefused", parameters: ["reasons": ["bad"]])
        #expect(try fixture.call("io.systemd.service.Reload") == .failure(error))
    }

    @Test(arguments: [nil, 8, -1] as [JSONValue?])
    func invalidLevelIsRefused(level: JSONValue?) throws {
        let parameters = level.map { ["level": $0] } ?? JSONObject()
        #expect(try fixture.call("io.systemd.service.SetLogLevel", parameters) == .failure(.invalidParameter("level")))
    }

    @Test func levelIsSet() throws {
        _ = try fixture.call("io.systemd.service.SetLogLevel", ["level": 4]).get()
        let hold = try fixture.more("Hold", ["reason": "unseen"])
        try fixture.turn { !hold.replies.isEmpty }

        #expect(!fixture.writer.records.contains { "\($0)".contains("unseen") })
    }

    @Test func environmentIsReturned() throws {
        let environment = try fixture.call("io.systemd.service.GetEnvironment").get()["environment"]?.arrayValue ?? []

        #expect(environment.contains { $0.stringValue?.hasPrefix("PATH=") ?? false })
    }
}
