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
        #expect(back.identifiers == ["Zürich/2", "player", "socket"])
        #expect(back["player"] == RestorationArchive.Entry(version: 3, value: Sample.value))
        #expect(back["nobody"] == nil)
    }

    @Test func bytesAreOneJSONObject() throws {
        var archive = RestorationArchive()
        try archive.insert(.init(version: 1, value: ["b": 300, "a": [true]]), for: "id")

        let text = #"{"version":1,"states":{"id":{"version":1,"state":{"b":300,"a":[true]}}}}"# + "\n"
        #expect(String(decoding: archive.bytes, as: UTF8.self) == text)
    }

    @Test func emptyArchiveIsAnArchive() throws {
        #expect(try RestorationArchive(bytes: RestorationArchive().bytes).identifiers.isEmpty)
    }

    @Test func bytesDoNotDependOnTheOrderOfAdding() throws {
        var (one, other) = (RestorationArchive(), RestorationArchive())
        for identifier in ["a", "b", "c"] { try one.insert(.init(version: 1, value: Sample.value), for: identifier) }
        for identifier in ["c", "a", "b"] { try other.insert(.init(version: 1, value: Sample.value), for: identifier) }

        #expect(one.bytes == other.bytes)
    }

    @Test func identifiersAreUnique() throws {
        var archive = try Sample.archive()
        let before = archive.bytes

        #expect(throws: RestorationError.duplicateIdentifier("player")) {
            try archive.insert(.init(version: 1, value: .null), for: "player")
        }
        #expect(archive.bytes == before)
    }

    @Test(arguments: [
        ("", false), ("x", true), (String(repeating: "x", count: 255), true),
        (String(repeating: "x", count: 256), false), (String(repeating: "é", count: 128), false),
    ])
    func identifierHasOneTo255Bytes(identifier: String, fits: Bool) {
        var archive = RestorationArchive()

        let inserted = Result { try archive.insert(.init(version: 1, value: .null), for: identifier) }

        if fits {
            #expect(throws: Never.self) { try inserted.get() }
        } else {
            #expect(throws: RestorationError.invalidIdentifier(identifier)) { try inserted.get() }
        }
    }

    @Test func sizeEndsAtTheLimit() throws {
        var archive = RestorationArchive()
        try archive.insert(.init(version: 1, value: .string(String(repeating: "x", count: 300))), for: "big")
        let size = archive.bytes.count

        var exact = RestorationArchive(limits: RestorationLimits(size: size, depth: 8))
        try exact.insert(try #require(archive["big"]), for: "big")
        var less = RestorationArchive(limits: RestorationLimits(size: size - 1, depth: 8))

        #expect(exact.bytes == archive.bytes)
        #expect(throws: RestorationError.tooLarge(limit: size - 1)) {
            try less.insert(try #require(archive["big"]), for: "big")
        }
        #expect(less.identifiers.isEmpty)
        #expect(throws: RestorationError.tooLarge(limit: size)) {
            try exact.insert(.init(version: 1, value: 0), for: "x")
        }
        #expect(throws: RestorationError.tooLarge(limit: size - 1)) {
            try RestorationArchive(bytes: archive.bytes, limits: less.limits)
        }
        #expect(throws: Never.self) { try RestorationArchive(bytes: archive.bytes, limits: exact.limits) }
    }

    @Test func depthEndsAtTheLimit() throws {
        func nested(_ levels: Int) -> JSONValue { (0..<levels).reduce(.null) { value, _ in [value] } }
        let limits = RestorationLimits(size: 1000, depth: 4)
        var archive = RestorationArchive(limits: limits)
        try archive.insert(.init(version: 1, value: nested(4)), for: "id")
        var deeper = RestorationArchive()
        try deeper.insert(.init(version: 1, value: nested(5)), for: "id")

        #expect(throws: Never.self) { try RestorationArchive(bytes: archive.bytes, limits: limits) }
        #expect(throws: RestorationError.tooDeep(limit: 4)) {
            try RestorationArchive(bytes: deeper.bytes, limits: limits)
        }
        #expect(throws: RestorationError.tooDeep(limit: 4)) {
            try archive.insert(.init(version: 1, value: nested(5)), for: "other")
        }
    }

    @Test(arguments: [62, 63, 64])
    func stateOfTheDeepestNestingIsDecoded(levels: Int) throws {
        let state = (0..<levels).reduce(JSONValue.null) { value, _ in ["in": value] }
        var archive = RestorationArchive()
        try archive.insert(.init(version: 1, value: state), for: "id")

        #expect(try RestorationArchive(bytes: archive.bytes) == archive)
    }

    @Test func depthLimitFitsTheStack() {
        let limits = RestorationLimits(size: .max, depth: .max)

        #expect(limits.depth == RestorationLimits.deepest)
        #expect(limits.size == Int(Int32.max))
        #expect(RestorationLimits(size: -1, depth: -1) == RestorationLimits(size: 0, depth: 0))
        #expect(JSONValueEncoder(maximumDepth: .max).maximumDepth == JSONValueEncoder.deepest)
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
        #expect(failure(#"{"version":1,"states":{"":\#(state)}}"#) == .invalidIdentifier(""))
    }

    @Test func hostileDepthIsRefused() {
        let deep = String(repeating: "[", count: 200_000)

        #expect(failure(#"{"version":1,"states":{"id":{"version":1,"state":\#(deep)"#) == .tooDeep(limit: 64))
    }

    @Test func errorsHaveReadableReasons() {
        #expect(RestorationError.unknownFormat(2).description == "archive format 2 is not known here, only 1")
        #expect(
            failure(#"{"version""#)?.description == "archive is not JSON: unexpected end at byte 10")
    }
}
