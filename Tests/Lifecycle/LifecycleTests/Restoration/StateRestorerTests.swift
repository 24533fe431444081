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

        let problems = before.encode()
        let report = try restorer(b, a).decode(RestorationArchive(bytes: before.archive.bytes))

        #expect(problems.isEmpty)
        #expect(report.map(\.identifier) == ["b", "a"])
        #expect(report.map(\.outcome) == [.restored, .restored])
        #expect(report.map(\.listener) == ["listener b", "listener a"])
        #expect(a.count == 1 && b.count == 2)
    }

    @Test func stateThatCannotBeEncodedIsLeftOut() throws {
        let bad = RestoredListener("b")
        bad.encodingFailure = Broken()

        let restorer = try restorer(RestoredListener("a"), bad, RestoredListener("c"))

        #expect(restorer.encode() == ["listener b: disk is gone"])
        #expect(restorer.archive.identifiers == ["a", "c"])
    }

    @Test func stateThatIsTooLargeLeavesTheOneBefore() throws {
        let large = RestoredListener("b")
        large.text = String(repeating: "x", count: RestorationArchive.longest)
        let restorer = try restorer(RestoredListener("a"), large, RestoredListener("c"))

        #expect(restorer.encode() == ["listener b: larger than the limit of 1048576 bytes"])
        #expect(restorer.archive.identifiers == ["a", "c"])

        // When it fits again, it is stored again, and stays.
        large.text = ""
        #expect(restorer.encode().isEmpty)
        let (stored, failure) = (restorer.archive, Broken())
        #expect(stored.identifiers == ["a", "b", "c"])
        large.text = String(repeating: "x", count: RestorationArchive.longest)
        #expect(restorer.encode() == ["listener b: larger than the limit of 1048576 bytes"])
        large.encodingFailure = failure
        #expect(restorer.encode() == ["listener b: disk is gone"])
        #expect(restorer.archive["b"]?.value == stored["b"]?.value)
    }

    @Test func onlyWhatHasChangedIsEncoded() throws {
        let (a, b) = (RestoredListener("a", count: 1), RestoredListener("b", count: 1))
        let restorer = try restorer(a, b)
        _ = restorer.encode()
        (a.count, b.count) = (2, 2)

        #expect(restorer.setChanged(b) && !restorer.setChanged(RestoredListener("b")))
        #expect(restorer.encodeChanged().isEmpty)

        #expect(restorer.archive["a"]?.value["count"] == 1)
        #expect(restorer.archive["b"]?.value["count"] == 2)
    }

    @Test func stateThatNobodyHasStays() throws {
        let before = try restorer(RestoredListener("a", count: 1), RestoredListener("gone", count: 2))
        _ = before.encode()
        let after = try restorer(RestoredListener("a"))

        after.decode(before.archive)
        _ = after.encode()

        #expect(after.archive == before.archive)
    }

    @Test func incompleteStateIsNotRestored() throws {
        var archive = RestorationArchive()
        try archive.replace(["count": 7, "text": "a"], version: 1, for: "a")
        try archive.replace(["count": 7, "text": 8], version: 1, for: "b")
        try archive.replace(["count": 7], version: 1, for: "c")
        let listeners = ["a", "b", "c", "d"].map { RestoredListener($0) }
        let restorer = StateRestorer()
        for listener in listeners { try restorer.addListener(listener) }

        let report = restorer.decode(archive)

        #expect(
            report.map(\.outcome) == [
                .restored, .refused("text: expected String, found an integer"),
                .refused("no value for the key 'text'"), .absent,
            ])
        #expect(listeners.map(\.count) == [7, 0, 0, 0])
        #expect(listeners.map(\.decodings) == [1, 0, 0, 0])
    }

    @Test func listenerMayRefuseAState() throws {
        let before = try restorer(RestoredListener("a", count: 1), RestoredListener("b", count: 2))
        _ = before.encode()
        let (a, b) = (RestoredListener("a"), RestoredListener("b"))
        a.decodingFailure = LifecycleRefusal("track is gone")

        let report = try restorer(a, b).decode(before.archive)

        #expect(report.map(\.outcome) == [.refused("track is gone"), .restored])
        #expect(a.count == 0 && b.count == 2)
    }

    @Test(arguments: [
        (1, "state of version 1 is older than version 2"), (3, "state of version 3 is newer than version 2"),
    ])
    func otherVersionsAreRefused(version: Int, reason: String) throws {
        let before = try restorer(RestoredListener("a", version: version, count: 1))
        _ = before.encode()
        let listener = RestoredListener("a", version: 2)

        let report = try restorer(listener).decode(before.archive)

        #expect(report.map(\.outcome) == [.refused(reason)])
        #expect(listener.decodings == 0)
    }

    @Test func olderVersionIsGivenToTheType() throws {
        let before = try restorer(RestoredListener("a", version: 1, count: 3))
        _ = before.encode()
        let listener = RestoredListener("a", version: 4)
        listener.migrates = true

        let report = try restorer(listener).decode(before.archive)

        #expect(report.map(\.outcome) == [.restored])
        #expect(listener.count == 3 && listener.text == "of version 1")
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
