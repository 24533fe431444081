// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StateRestorerTests {
    private struct Broken: Error, CustomStringConvertible { var description: String { "disk is gone" } }

    private func restorer(_ listeners: RestoredListener...) throws -> StateRestorer {
        let restorer = StateRestorer()
        for listener in listeners { try restorer.addListener(listener) }
        return restorer
    }

    @Test func everyListenerGetsItsStateBack() throws {
        let before = try restorer(RestoredListener("a", count: 1), RestoredListener("b", count: 2))
        let (a, b) = (RestoredListener("a"), RestoredListener("b"))

        let (archive, stored) = before.encode()
        let report = try restorer(b, a).decode(RestorationArchive(bytes: archive.bytes))

        #expect(stored.items.map(\.outcome) == [.stored, .stored])
        #expect(report.items.map(\.identifier) == ["b", "a"])
        #expect(report.items.map(\.outcome) == [.restored, .restored])
        #expect(report.items.map(\.listener) == ["listener b", "listener a"])
        #expect(a.count == 1 && b.count == 2)
        #expect(report.problems.isEmpty && report.unclaimed.isEmpty)
    }

    @Test func stateThatCannotBeEncodedIsLeftOut() throws {
        let bad = RestoredListener("b")
        bad.encodingFailure = Broken()

        let (archive, report) = try restorer(RestoredListener("a"), bad, RestoredListener("c")).encode()

        #expect(archive.identifiers == ["a", "c"])
        #expect(report.items.map(\.outcome) == [.stored, .refused("disk is gone"), .stored])
        #expect(report.problems == ["listener b: disk is gone"])
    }

    @Test func stateThatIsTooLargeIsLeftOut() throws {
        let restorer = StateRestorer(limits: RestorationLimits(size: 200, depth: 8))
        for listener in [RestoredListener("a"), RestoredListener("b"), RestoredListener("c")] {
            if listener.restorationIdentifier == "b" { listener.text = String(repeating: "x", count: 200) }
            try restorer.addListener(listener)
        }

        let (archive, report) = restorer.encode()

        #expect(archive.identifiers == ["a", "c"])
        #expect(report["b"] == .refused("larger than the limit of 200 bytes"))
    }

    @Test func incompleteStateIsNotRestored() throws {
        var archive = RestorationArchive()
        try archive.insert(.init(version: 1, value: ["count": 7, "text": "a"]), for: "a")
        try archive.insert(.init(version: 1, value: ["count": 7, "text": 8]), for: "b")
        try archive.insert(.init(version: 1, value: ["count": 7]), for: "c")
        let listeners = ["a", "b", "c", "d"].map { RestoredListener($0) }
        let restorer = StateRestorer()
        for listener in listeners { try restorer.addListener(listener) }

        let report = restorer.decode(archive)

        #expect(
            report.items.map(\.outcome) == [
                .restored, .refused("text: expected String, found an integer"),
                .refused("no value for the key 'text'"), .absent,
            ])
        #expect(listeners.map(\.count) == [7, 0, 0, 0])
        #expect(listeners.map(\.decodings) == [1, 0, 0, 0])
    }

    @Test func listenerMayRefuseAState() throws {
        let (archive, _) = try restorer(RestoredListener("a", count: 1), RestoredListener("b", count: 2)).encode()
        let (a, b) = (RestoredListener("a"), RestoredListener("b"))
        a.decodingFailure = LifecycleRefusal("track is gone")

        let report = try restorer(a, b).decode(archive)

        #expect(report.items.map(\.outcome) == [.refused("track is gone"), .restored])
        #expect(a.count == 0 && b.count == 2)
    }

    @Test(arguments: [
        (1, "state of version 1 is older than version 2"), (3, "state of version 3 is newer than version 2"),
    ])
    func otherVersionsAreRefused(version: Int, reason: String) throws {
        let (archive, _) = try restorer(RestoredListener("a", version: version, count: 1)).encode()
        let listener = RestoredListener("a", version: 2)

        let report = try restorer(listener).decode(archive)

        #expect(report["a"] == .refused(reason))
        #expect(listener.decodings == 0)
    }

    @Test func duplicateIdentifierIsRefusedByName() throws {
        let restorer = try restorer(RestoredListener("player"))

        #expect(throws: RestorationError.duplicateIdentifier("player")) {
            try restorer.addListener(RestoredListener("player"))
        }
        #expect(throws: RestorationError.invalidIdentifier("")) { try restorer.addListener(RestoredListener("")) }
        #expect("\(RestorationError.duplicateIdentifier("player"))" == "duplicate restoration identifier 'player'")
        #expect(restorer.identifiers == ["player"])
    }
}
