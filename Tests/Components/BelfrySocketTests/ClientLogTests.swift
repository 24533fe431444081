// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryListeners
import BelfrySocket
import Testing

struct ClientLogTests {
    private func moment(_ seconds: UInt64) -> MonotonicInstant { MonotonicInstant(microseconds: seconds * 1_000_000) }

    @Test func recordsBeyondTheBurstAreCounted() {
        var limit = ClientRecordLimit(burst: 3, interval: .seconds(30))

        let verdicts = (0..<5).map { _ in limit.admit(7, at: moment(1)) }

        #expect(verdicts == [0, 0, 0, nil, nil])
        #expect(limit.admit(7, at: moment(30)) == nil)
        #expect(limit.admit(7, at: moment(31)) == 3)
        #expect(limit.admit(7, at: moment(31)) == 0)
    }

    @Test func usersAreCountedSeparately() {
        var limit = ClientRecordLimit(burst: 1, interval: .seconds(30))

        #expect(limit.admit(7, at: moment(1)) == 0)
        #expect(limit.admit(8, at: moment(1)) == 0)
        #expect(limit.admit(7, at: moment(2)) == nil)
    }

    @Test func numberOfUsersIsLimited() {
        var limit = ClientRecordLimit(burst: 1, interval: .seconds(3000))
        for uid in 0..<1000 { _ = limit.admit(UInt32(uid), at: moment(UInt64(uid))) }

        #expect(limit.admit(999, at: moment(1000)) == nil)
        #expect(limit.admit(0, at: moment(1000)) == 0)
    }
}
