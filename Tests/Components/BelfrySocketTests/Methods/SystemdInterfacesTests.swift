// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfryListeners
import BelfrySocket
import LifecycleTesting
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct SystemdInterfacesTests {
    let fixture: SocketFixture

    init() throws { fixture = try SocketFixture() }

    private func list(_ method: String) throws -> [JSONObject] {
        let replies = try fixture.more("io.systemd.Metrics." + method, [:])
        try fixture.turn { replies.isOver }
        return replies.replies
    }

    private func values(_ name: String) throws -> [JSONObject] {
        try list("List").filter { $0["name"] == .string("io.belfry.Lifecycle." + name) }.map { metric in
            JSONObject(metric.filter { $0.key != "name" }.map { ($0.key, $0.value) })
        }
    }

    @Test func metricsCountWhatHappened() throws {
        try fixture.mediator.addListener(RecordingListener("lamp", [.flushRequested]))
        fixture.mediator.post(.flushRequested)
        fixture.mediator.post(
            .flushRequested, origin: .signal(SignalOrigin(number: 10, name: "SIGUSR1", pid: 1, uid: 0)))

        #expect(try values("State") == [["value": "active"]])
        #expect(try values("Sequence") == [["value": 5]])
        #expect(
            try values("NotificationsTotal") == [
                ["value": 1, "fields": ["notification": "didBecomeActive"]],
                ["value": 1, "fields": ["notification": "didFinishLaunching"]],
                ["value": 2, "fields": ["notification": "flushRequested"]],
                ["value": 1, "fields": ["notification": "willFinishLaunching"]],
            ])
        #expect(try values("NotificationsBySignalTotal") == [["value": 1, "fields": ["signal": "SIGUSR1"]]])
        #expect(try values("ListenerCallsTotal").contains(["value": 2, "object": "lamp"]))
        #expect(try values("ListenerFailuresTotal").contains(["value": 0, "object": "lamp"]))
    }

    @Test func excessNamesAreCountedTogether() throws {
        for number in 0..<300 {
            fixture.mediator.post(try #require(LifecycleNotification.Name("stranger.\(number)")))
        }

        let counts = try values("NotificationsTotal")
        #expect(counts.count == 257)
        #expect(counts.last == ["value": 47, "fields": ["notification": "*"]])
    }

    @Test func familiesAreDescribedInOrder() throws {
        let families = try list("Describe")

        let names = families.map { $0["name"]?.stringValue ?? "" }
        #expect(names == names.sorted())
        #expect(Set(try list("List").map { $0["name"]?.stringValue ?? "" }).isSubset(of: names))
        #expect(families.allSatisfy { ["counter", "gauge", "string"].contains($0["type"]?.stringValue) })
    }

    @Test func metricsNeedMore() throws {
        let error = VarlinkError.failed(name: "org.varlink.service.ExpectedMore", parameters: [:])
        #expect(try fixture.call("io.systemd.Metrics.List") == .failure(error))
    }

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
