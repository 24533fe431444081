// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import Lifecycle
import BelfrySocket
import LifecycleTesting
import TestSupport
import Testing
import Varlink

/// The limits of `Attach` and of the calls after it.
@Suite(.timeLimit(.minutes(1)))
struct AttachLimitTests {
    let fixture: SocketFixture

    init() throws { fixture = try SocketFixture() }

    nonisolated static let numbers = [Int64.max, Int64.min, 0, 1, Int64.max / 2, 1 << 53]

    @Test(arguments: numbers, numbers)
    func deadlineAndProgressMayBeAnyNumber(deadline: Int64, window: Int64) throws {
        let attached = try fixture.attach(["willTerminate"], ["deadlineUsec": .int(deadline)])
        guard deadline > 0 else {
            #expect(attached.error == "org.varlink.service.InvalidParameter")
            return
        }
        _ = try fixture.call("Explain", ["signal": "TERM"]).get()
        _ = try fixture.call("ListListeners").get()
        fixture.mediator.perform(.stop)
        try fixture.turn { attached.replies.count == 2 }
        let token = attached.replies.last?["token"] ?? ""

        let progress = try fixture.call("Progress", ["token": token, "nextWithinUsec": .int(window)])
        fixture.mediator.perform(.stop)

        #expect((try? progress.get()) != nil || window <= 0)
        #expect(fixture.mediator.state == .notRunning)
    }

    @Test(arguments: ["names", "follows", "actions"])
    func listsAreLimited(list: String) throws {
        let known = fixture.mediator.registry.recipients.count
        let value = { (text: String) -> JSONValue in
            list == "actions" ? ["id": .string(text), "title": ""] : .string(text)
        }
        let many = JSONValue.array((0..<257).map { value("n\($0)") })
        let long = JSONValue.array((0..<20).map { value("n\($0)" + String(repeating: "x", count: 210)) })
        let fitting = JSONValue.array((0..<256).map { value("n\($0)") })

        for tooMuch in [many, long] {
            let refused = try fixture.attach([], [list: tooMuch])
            #expect(refused.error == "org.varlink.service.InvalidParameter")
            #expect(refused.errorParameters?["parameter"] == .string(list))
        }
        let attached = try fixture.attach([], [list: fitting])

        #expect(attached.replies.count == 1)
        attached.vanish()
        try fixture.turn { !fixture.mediator.listeners.contains { $0.name == "guard" } }
        #expect(fixture.mediator.registry.recipients.count == known)
    }

    @Test func sumOfTheListsIsLimited() throws {
        let names = (0..<200).map { JSONValue.string("n\($0)") }

        let refused = try fixture.attach(names, ["follows": .array(names)])

        #expect(refused.errorParameters?["parameter"] == "follows")
        #expect(!fixture.mediator.listeners.contains { $0.name == "guard" })
    }
}
