// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Foundation
import TestSupport
import Testing

@testable import Varlink

/// What waiting calls keep takes about as much memory as is counted for it, whatever the calls contain.
@Suite(.timeLimit(.minutes(1)))
struct KeptCallTests {
    /// A list of about 40 KB, so that the kernel takes a call with two of them at once.
    private func list(of elements: [String], _ random: inout SeededRandom) -> String {
        let element = elements[Int.random(in: 0..<elements.count, using: &random)]
        return "[" + repeatElement(element, count: 40_000 / (element.utf8.count + 1)).joined(separator: ",") + "]"
    }

    /// Memory of this process, in bytes (proc_pid_statm(5)), after what is free was returned.
    private func memory() throws -> Int {
        _ = belfry_malloc_trim()
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(pages[1])) * Int(getpagesize())
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func memoryOfKeptCallsIsWhatIsCounted(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fixture = try ServerFixture()
        let peers = try (0..<20).map { _ in try fixture.peer() }
        let before = try memory()

        for (number, peer) in peers.enumerated() {
            let parameter = self.list(of: ["{}", #"{"a":[]}"#], &random)
            let field = list(of: ["{}", "[]", "0", "1e9", "null", #""""#, "[[]]", #""\u0001""#], &random)
            peer.write(#"{"method":"org.example.test.Keep","x.y":\#(field),"parameters":{"list":\#(parameter)}}"#)
            try fixture.turn { fixture.waiting.count == number + 1 }
        }

        let counted = fixture.waiting.reduce(0) { $0 + $1.connection.held }
        let taken = try memory() - before
        #expect(taken < counted * 2 + (4 << 20), "\(counted) bytes are counted")
    }

    @Test func fieldsWithADotAreNotKept() throws {
        let text = #"{"method":"a.b.C","x.y":[1,2,3],"parameters":{"x":1}}"#
        var call = try VarlinkCall(message: ArraySlice(text.utf8))

        let kept = call.keep()

        #expect(kept == #"a.b.C{"x":1}"#.utf8.count)
    }
}
