// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import Testing

struct JournalBootTests {
    @Test(arguments: [("0", 0), ("-1", -1), ("+2", 2)])
    func numbersCountFromTheLastBoot(text: String, offset: Int) {
        #expect(JournalBoot(text) == .offset(offset))
    }

    @Test func idsAreWrittenWithDashesOrWithout() {
        let plain = JournalBoot("0123456789abcdef0123456789abcdef")

        #expect(plain != nil)
        #expect(JournalBoot("01234567-89AB-CDEF-0123-456789ABCDEF") == plain)
    }

    @Test func digitsOfTheLengthOfAnIdAreOne() {
        #expect(JournalBoot(String(repeating: "1", count: 32)) != nil)
    }

    @Test(arguments: ["", "xyz", "99999999999999999999", "0123456789abcdef", "-", "1.0", "0x1"])
    func anythingElseIsNone(text: String) {
        #expect(JournalBoot(text) == nil)
    }
}
