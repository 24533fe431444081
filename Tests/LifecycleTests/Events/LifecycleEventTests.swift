// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import Testing

struct LifecycleEventTests {
    @Test(arguments: [
        TimeChange.clock(step: .milliseconds(-1500)), .timeZone(from: "Europe/Berlin", to: "Asia/Tokyo"),
        .timeZone(from: nil, to: nil),
    ])
    func timeChangeIsEncodedAsUserInfo(change: TimeChange) {
        #expect(TimeChange(userInfo: change.userInfo) == change)
    }

    @Test(arguments: [[:], ["cause": "clock"], ["cause": "clock", "stepUsec": "1"], ["cause": "moon"]] as [UserInfo])
    func invalidTimeChangeIsNotDecoded(userInfo: UserInfo) {
        #expect(TimeChange(userInfo: userInfo) == nil)
    }

    @Test func protectedDataIsEncodedAsUserInfo() {
        let arrival = ProtectedDataArrival(path: "/srv/vault")
        let loss = ProtectedDataLoss(path: "/srv/vault")

        #expect(ProtectedDataArrival(userInfo: arrival.userInfo) == arrival)
        #expect(ProtectedDataLoss(userInfo: loss.userInfo) == loss)
        #expect(ProtectedDataArrival(userInfo: [:]) == nil && ProtectedDataLoss(userInfo: ["path": 1]) == nil)
    }
}
