// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCommandLine
import TestSupport
import Testing

@testable import belfryctl

@Suite(.timeLimit(.minutes(1)))
struct FlushCommandTests {
    private static let sums = #""filesSeen":10,"filesSelected":4,"filesRemoved":1,"bytesFreed":1536"#

    private func message(_ result: String, _ outcome: String, _ details: String, continues: Bool = false) -> String {
        let report =
            #"{"listener":"cacheFlush","outcome":"\#(outcome)","durationUsec":7000,"work":"'a' done","details":{\#(details)}}"#
        let parameters = #"{"sequence":41,"result":"\#(result)","reports":[\#(report)]}"#
        return #"{"parameters":\#(parameters)\#(continues ? #","continues":true"# : "")}"#
    }

    private func flush(_ messages: String...) throws -> ChildProgram.End {
        try StandIn(answering: messages).ctl("flush").end()
    }

    @Test func whatWasFreedIsPrinted() throws {
        let done = try flush(
            message("running", "running", Self.sums, continues: true),
            message("noData", "completed", #""caches":[]"#))

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

    @Test func barShowsThePart() {
        #expect(ProgressBar.line((nil, "examined 5 files")) == "examined 5 files")
        #expect(ProgressBar.line((0.25, "a")) == "[######------------------]  25 %  a")
        #expect(ProgressBar.line((9, "a")) == "[########################] 100 %  a")
    }
}
