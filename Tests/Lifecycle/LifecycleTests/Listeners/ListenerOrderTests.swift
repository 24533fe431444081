// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

struct ListenerOrderTests {
    typealias Place = ListenerOrder.Place

    private func order(_ places: [Place]) throws -> [[String]] {
        try ListenerOrder(places).groups.map { $0.map { places[$0].name } }
    }

    @Test func mediatorHasItsPrimaryListener() throws {
        let mediator = LifecycleMediator(clock: ManualClock())
        let primary = RecordingListener("primary")
        try mediator.addListener(RecordingListener("other"))
        #expect(mediator.primaryListener == nil)

        try mediator.addPrimaryListener(primary)
        #expect(mediator.primaryListener === primary)
        #expect(throws: ListenerOrderError.primaries(["primary", "another"])) {
            try mediator.addPrimaryListener(RecordingListener("another"))
        }

        mediator.removeListener(primary)
        #expect(mediator.primaryListener == nil)
    }

    @Test func cycleIsRefusedWithItsNames() {
        let places = [
            Place("free"), Place("a", follows: ["c"]), Place("b", follows: ["a"]), Place("c", follows: ["b"]),
        ]

        #expect(throws: ListenerOrderError.cycle(["a", "c", "b"])) { try ListenerOrder(places) }
        #expect("\(ListenerOrderError.cycle(["a", "b"]))" == "listeners follow each other in a circle: a -> b")
    }

    @Test(arguments: 1...20)
    func followersComeAfterThoseTheyFollowInRandomOrders(seed: Int) throws {
        // Every listener follows some that stand before it in this permutation, so that there is an order.
        let ranks = (0..<200).map { ($0 * (2 * seed + 1) + seed) % 211 }
        let places = (0..<200).map { index in
            Place("\(index)", follows: (0..<200).filter { ranks[$0] < ranks[index] }.prefix(3).map { "\($0)" })
        }

        let sorted = try order(places).flatMap(\.self)

        let position = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1, $0) })
        for place in places {
            for followed in place.follows { #expect(position[followed] ?? .max < position[place.name] ?? -1) }
        }
    }
}
