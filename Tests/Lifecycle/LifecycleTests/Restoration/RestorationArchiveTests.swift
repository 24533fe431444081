// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RestorationArchiveTests {
    typealias Sample = RestorationSample

    @Test func archiveIsDecodedFromItsBytes() throws {
        let archive = try Sample.archive()

        let back = try RestorationArchive(bytes: archive.bytes)

        #expect(back == archive)
        #expect(back.bytes == archive.bytes)
        #expect(back.identifiers == ["player", "Zürich/2", "socket"])
        #expect(try #require(back["player"]) == (3, Sample.value))
        #expect(back["nobody"] == nil)
    }

    @Test func bytesAreOneJSONObject() throws {
        var archive = RestorationArchive()
        try archive.replace(["b": 300, "a": [true]], version: 1, for: "id")

        let text = #"{"version":1,"states":{"id":{"version":1,"state":{"b":300,"a":[true]}}}}"# + "\n"
        #expect(String(decoding: archive.bytes, as: UTF8.self) == text)
    }

    @Test func emptyArchiveIsAnArchive() throws {
        #expect(try RestorationArchive(bytes: RestorationArchive().bytes).identifiers.isEmpty)
    }

    @Test func stateReplacesThatOfItsIdentifier() throws {
        var archive = try Sample.archive()
        try archive.replace(1, version: 2, for: "player")

        #expect(archive.identifiers == ["Zürich/2", "socket", "player"])
        #expect(try #require(archive["player"]) == (2, 1))
    }

    /// Of states that come and go, so that the size is counted right.
    @Test func sizeEndsAtTheLimit() throws {
        var archive = RestorationArchive()
        let half = JSONValue.string(String(repeating: "x", count: RestorationArchive.longest / 2))
        for round in 0..<5 {
            try archive.replace(half, version: round, for: "one")
            #expect(throws: RestorationError.tooLarge(limit: RestorationArchive.longest)) {
                try archive.replace(half, version: round, for: "other")
            }
            #expect(archive.identifiers == ["one"])
            if round == 3 { archive = try RestorationArchive(bytes: archive.bytes) }
        }
        archive = RestorationArchive()
        try archive.replace(half, version: 0, for: "other")

        let room = RestorationArchive.longest - archive.bytes.count
        try archive.replace(.string(String(repeating: "y", count: room - 60)), version: 1, for: "rest")
        #expect(throws: Never.self) { try RestorationArchive(bytes: archive.bytes) }
        #expect(throws: RestorationError.tooLarge(limit: RestorationArchive.longest)) {
            try RestorationArchive(bytes: archive.bytes + Array(repeating: UInt8(ascii: " "), count: 60))
        }
    }

    /// Deeper ones are refused when they are encoded.
    @Test(arguments: [1, 60, 61])
    func stateOfTheDeepestNestingIsDecoded(levels: Int) throws {
        let value = try JSONValueEncoder(maximumDepth: RestorationArchive.deepest)
            .encode(RestorationShapes.Chain(length: levels))
        var archive = RestorationArchive()
        try archive.replace(value, version: 1, for: "id")

        #expect(try RestorationArchive(bytes: archive.bytes) == archive)
        #expect(throws: EncodingError.self) {
            try JSONValueEncoder(maximumDepth: RestorationArchive.deepest).encode(RestorationShapes.Chain(length: 62))
        }
    }
}

/// Invalid bytes are refused with a reason.
@Suite(.timeLimit(.minutes(1)))
struct RestorationDamageTests {
    typealias Sample = RestorationSample

    private func failure(_ bytes: [UInt8]) -> RestorationError? {
        do throws(RestorationError) {
            _ = try RestorationArchive(bytes: bytes)
            return nil
        } catch {
            return error
        }
    }

    private func failure(_ text: String) -> RestorationError? { failure(Array(text.utf8)) }

    @Test func everyTruncationIsRefused() throws {
        let bytes = try Sample.archive().bytes

        // The last byte is a line end.
        for count in 0..<bytes.count - 1 {
            guard case .notJSON(let error) = failure(Array(bytes.prefix(count))) else {
                Issue.record("\(count) bytes are an archive")
                continue
            }
            #expect(error.offset <= count)
        }
    }

    @Test func mutatedArchivesAreRefusedOrReadTheSame() throws {
        let original = try Sample.archive().bytes
        var generator = SeededRandom(seed: 22)
        var (read, refused) = (0, 0)
        for _ in 0..<20_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1..<4, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                }
            }
            if let archive = try? RestorationArchive(bytes: bytes) {
                read += 1
                #expect(try RestorationArchive(bytes: archive.bytes) == archive)
            } else {
                refused += 1
            }
        }
        #expect(read > 100 && refused > 100)
    }

    @Test func otherFormatsAreRefused() {
        #expect(failure(#"{"version":2,"states":{}}"#) == .unknownFormat(2))
        #expect(failure(#"{"version":0,"states":{}}"#) == .unknownFormat(0))
        for text in [
            "{}", "[]", "1", #"{"version":1}"#, #"{"version":"1","states":{}}"#, #"{"version":1,"states":[]}"#,
        ] {
            #expect(failure(text) == .notAnArchive)
        }
    }

    @Test(arguments: ["1", "{}", #"{"version":1}"#, #"{"state":1}"#, #"{"version":1.5,"state":1}"#])
    func malformedStateIsRefused(state: String) {
        #expect(failure(#"{"version":1,"states":{"id":\#(state)}}"#) == .malformed(identifier: "id"))
    }

    @Test func identifiersAreComparedAsBytes() throws {
        let state = #"{"version":1,"state":null}"#
        let bytes = Array(#"{"version":1,"states":{"\#u{E9}":\#(state),"e\#u{301}":\#(state)}}"#.utf8)

        #expect(try RestorationArchive(bytes: bytes).identifiers.count == 2)
    }

    @Test func hostileDepthIsRefused() {
        let deep = String(repeating: "[", count: 200_000)

        guard case .notJSON(let error) = failure(#"{"version":1,"states":{"id":{"version":1,"state":\#(deep)"#) else {
            Issue.record("it is an archive")
            return
        }
        #expect(error.reason == .nestedTooDeeply)
    }

    @Test func errorsHaveReadableReasons() {
        #expect(RestorationError.unknownFormat(2).description == "archive format 2 is not known here, only 1")
        #expect(
            failure(#"{"version""#)?.description == "archive is not JSON: unexpected end at byte 10")
    }
}
