// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FlushCommandTests {
    private static let sums = #""filesSeen":10,"filesSelected":4,"filesRemoved":1,"bytesFreed":1536"#

    private func message(_ result: String, _ outcome: String, _ details: String) -> String {
        let report =
            #"{"listener":"cacheFlush","outcome":"\#(outcome)","durationUsec":7000,"work":"'a' done","details":{\#(details)}}"#
        let parameters = #"{"sequence":41,"result":"\#(result)","reports":[\#(report)]}"#
        return #"{"parameters":\#(parameters)}"#
    }

    private func flush(_ message: String) throws -> ChildProgram.End {
        try StandIn(answering: [message]).ctl("flush").end()
    }

    @Test func whatWasFreedIsPrinted() throws {
        let done = try flush(message("noData", "completed", #""caches":[]"#))

        #expect(done.errors == "" && done.status == 0)
        #expect(
            done.output
                == """
                41 done
                  cacheFlush  completed, 7 ms: 'a' done

                """)
    }

    @Test func filesOfADryRunAreListed() throws {
        let cache =
            #"{"cache":"a","filesSeen":3,"filesRemoved":1,"bytesFreed":512,"dryRun":true,"files":["/a/\u001bx"]}"#

        let done = try flush(message("noData", "completed", #"\#(Self.sums),"caches":[\#(cache)]"#))

        #expect(done.output.hasSuffix("  cacheFlush  completed, 7 ms: 'a' done\n    /a/\\u{1B}x\n"))
    }
}
