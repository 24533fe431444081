// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import Glibc
import Testing

struct TimestampTextTests {
    /// 2026-01-02 14:03:22 in the time zone of the process.
    private let now: Int64 = {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (126, 0, 2)
        (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (14, 3, 22, -1)
        return Int64(mktime(&parts)) * 1_000_000
    }()

    @Test(arguments: [
        ("now", 0), ("-2h", -7200), ("90s ago", -90), ("14:00", -202), ("14:03:20", -2), ("today", -50_602),
        ("yesterday", -137_002), ("2026-01-02", -50_602), ("2026-01-01 14:03:22", -86400), ("2026-01-02 14:04", 38),
    ])
    func timesMatchSystemd(text: String, seconds: Int64) {
        #expect(TimestampText.parse(text, now: now) == now + seconds * 1_000_000)
    }

    @Test func longestTimeSpanSaturates() {
        #expect(TimestampText.parse("-9223372036854775807us", now: now) == now - .max)
        #expect(TimestampText.parse("9223372036854775807us ago", now: -2) == .min)
    }

    @Test func secondsSince1970AreAccepted() {
        #expect(TimestampText.parse("@12", now: now) == 12_000_000)
    }

    @Test(arguments: [
        "", "tomorrow", "25:00", "14:61", "2026-13-01", "2026-02-30", "2026-01", "1:2:3:4", "@x", "-1 fortnight",
        "14:00 2026-01-02",
        "2026-01-02 14:00 x", "@99999999999999999999",
    ])
    func otherTextIsNoTime(text: String) {
        #expect(TimestampText.parse(text, now: now) == nil)
    }
}
