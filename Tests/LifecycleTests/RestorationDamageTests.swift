// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import TestSupport
import Testing

/// Bytes that are no archive are refused with the reason, whatever is wrong with them.
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

    @Test func randomArchivesComeBack() throws {
        var generator = SeededRandom(seed: 23)
        for _ in 0..<1000 {
            var archive = RestorationArchive()
            for index in 0..<Int.random(in: 0..<5, using: &generator) {
                let value = Sample.randomValue(&generator)
                try archive.insert(.init(version: index, value: value), for: "\(index)")
            }
            #expect(try RestorationArchive(bytes: archive.bytes) == archive)
        }
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
    func stateThatIsNotWholeIsRefused(state: String) {
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

    @Test func reasonsReadWell() {
        #expect(RestorationError.unknownFormat(2).description == "archive format 2 is not known here, only 1")
        #expect(
            failure(#"{"version""#)?.description == "archive is not JSON: unexpected end at byte 10")
    }
}
