// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// What a mediator takes of those who come later.
struct ListenerPlaceTests {
    let fixture = MediatorFixture()
    private var order: [String] { fixture.mediator.listeners.map(\.name) }

    private func add(_ listeners: PlacedListener...) throws {
        for listener in listeners { try fixture.mediator.addListener(listener) }
    }

    @Test func aNameIsTakenOnce() throws {
        try add(PlacedListener("a"))

        #expect(throws: ListenerOrderError.duplicate("a")) { try add(PlacedListener("a")) }
        #expect("\(ListenerOrderError.duplicate("a"))" == "there is a listener of this name already: a")
        #expect(order == ["a"])
    }

    @Test func namesThatOnlyLookTheSameAreTwo() throws {
        try add(PlacedListener("é"), PlacedListener("e\u{301}"))

        #expect(fixture.mediator.listeners.count == 2)
    }

    @Test func whoIsFollowedAlreadyMayNotFollowThose() throws {
        try add(PlacedListener("a", follows: ["b"]), PlacedListener("b", follows: ["c"]))

        #expect(throws: ListenerOrderError.cycle(["a", "b", "c"])) { try add(PlacedListener("c", follows: ["a"])) }
        #expect(throws: ListenerOrderError.cycle(["c"])) { try add(PlacedListener("c", follows: ["c"])) }
        try add(PlacedListener("c"))
        #expect(order == ["c", "b", "a"])
    }

    @Test func aRankMayNotComeAfterItself() throws {
        try add(PlacedListener("a", rank: 1), PlacedListener("b", follows: ["a"]))

        #expect(throws: ListenerOrderError.self) { try add(PlacedListener("c", rank: 1, follows: ["b"])) }
        #expect(throws: ListenerOrderError.self) { try add(PlacedListener("c", rank: 1, follows: ["a"])) }
        #expect(order == ["a", "b"])
    }

    @Test func aRankThatIsFollowedTakesInNobodyWhomItsMembersFollow() throws {
        try add(PlacedListener("a", rank: 1, follows: ["x"]), PlacedListener("x", follows: ["c"]))

        #expect(throws: ListenerOrderError.self) { try add(PlacedListener("c", rank: 1)) }
    }

    @Test func theOrderIsFoundAnewWhenWhomItHingedOnIsGone() throws {
        let b = PlacedListener("b", follows: ["c"])
        try add(PlacedListener("a", follows: ["b"]), b, PlacedListener("c"))
        #expect(order == ["c", "b", "a"])

        fixture.mediator.removeListener(b)

        #expect(order == ["a", "c"])
    }

    @Test func aFollowedNameThatNobodyHasIsKnown() throws {
        try add(PlacedListener("a", follows: ["b", "misspelt"]), PlacedListener("b"))

        #expect(fixture.mediator.unknownFollowed.map { "\($0.listener) \($0.name)" } == ["a misspelt"])
    }
}
