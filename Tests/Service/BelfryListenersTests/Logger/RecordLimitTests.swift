// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryListeners
import BelfrySystemd
import Testing

struct RecordLimitTests {
    @Test func recordsBeyondTheBurstAreCounted() {
        var limit = RecordLimit<UInt32>()

        let verdicts = (0..<22).map { _ in limit.admit(7, at: .seconds(1)) }

        #expect(verdicts == Array(repeating: "", count: 20) + [nil, nil])
        #expect(limit.admit(7, at: .seconds(30)) == nil)
        #expect(limit.admit(7, at: .seconds(31)) == "; 3 such messages before it were suppressed")
        #expect(limit.admit(7, at: .seconds(31)) == "")
    }

    @Test func subjectsAreCountedSeparately() {
        var limit = RecordLimit<String>()
        for _ in 0..<20 { _ = limit.admit("lamp", at: .seconds(1)) }

        #expect(limit.admit("lamp", at: .seconds(1)) == nil)
        #expect(limit.admit("bell", at: .seconds(1)) == "")
    }

    /// The one whose interval began first is forgotten.
    @Test func numberOfSubjectsIsLimited() {
        var limit = RecordLimit<UInt32>()
        for uid in 0..<1000 as Range<UInt32> {
            for _ in 0..<20 { _ = limit.admit(uid, at: .milliseconds(Int(uid))) }
        }

        #expect(limit.admit(999, at: .seconds(1)) == nil)
        #expect(limit.admit(0, at: .seconds(1)) == "")
    }
}
