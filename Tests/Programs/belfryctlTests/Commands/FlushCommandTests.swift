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
            #"{"listener":"cacheFlush","outcome":"\#(outcome)","durationUsec":7000,"details":{\#(details)}}"#
        let parameters = #"{"sequence":41,"result":"\#(result)","reports":[\#(report)]}"#
        return #"{"parameters":\#(parameters)\#(continues ? #","continues":true"# : "")}"#
    }

    private func flush(_ messages: String...) throws -> ChildProgram.End {
        try StandIn(answering: messages).ctl("flush").end()
    }

    @Test func whatWasFreedIsPrintedForEachCache() throws {
        let caches = [
            #"{"cache":"pictures","filesSeen":10,"filesRemoved":4,"filesOpen":1,"bytesFreed":1610612736}"#,
            #"{"cache":"web","filesSeen":2,"filesRemoved":0,"filesOpen":0,"bytesFreed":0,"cutShort":true}"#,
        ]

        let done = try flush(
            message("running", "running", Self.sums, continues: true),
            message("noData", "completed", #"\#(Self.sums),"caches":[\#(caches.joined(separator: ","))]"#))

        #expect(done.errors == "" && done.status == 0)
        #expect(
            done.output
                == """
                41 noData
                  cacheFlush  completed, 7 ms
                  pictures  removed 4 of 10 files, freed 1.5G, kept 1 that are open
                  web       removed 0 of 2 files, freed 0B, cut short

                """)
    }

    @Test func filesOfADryRunAreListed() throws {
        let cache =
            #"{"cache":"a","filesSeen":3,"filesRemoved":1,"bytesFreed":512,"dryRun":true,"files":["/a/\u001bx"]}"#

        let done = try flush(message("noData", "completed", #"\#(Self.sums),"caches":[\#(cache)]"#))

        #expect(done.output.hasSuffix("  a  would remove 1 of 3 files, would free 512B\n    /a/\\u{1B}x\n"))
    }

    @Test func lateFlushPrintsWhatWasDoneSoFar() throws {
        let done = try flush(message("failed", "overran", Self.sums))

        #expect(done.status == 1)
        #expect(done.output.hasSuffix("overran, 7 ms\n  flushed 1 of 4 files, 1.5K so far\n"))
    }

    @Test func barShowsThePart() {
        #expect(ProgressBar.line((nil, "examined 5 files")) == "examined 5 files")
        #expect(ProgressBar.line((0.25, "a")) == "[######------------------]  25 %  a")
        #expect(ProgressBar.line((9, "a")) == "[########################] 100 %  a")
    }
}
