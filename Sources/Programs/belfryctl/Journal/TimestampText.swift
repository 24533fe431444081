// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryConfiguration
import BelfryEventLoop
import Glibc

/// Parses points in time in the common forms of systemd.time(7), in the time zone of this process.
enum TimestampText {
    /// `now`, `today`, `yesterday`, `2026-01-02 14:03:22` and parts of it, `-5min`, `5min ago`, `@1767358802`.
    ///
    /// - Parameter now: CLOCK_REALTIME in microseconds.
    /// - Returns: CLOCK_REALTIME in microseconds; nil if the text is invalid.
    static func parse(_ text: String, now: Int64) -> Int64? {
        switch text {
        case "now": return now
        case "today": return midnight(now, days: 0)
        case "yesterday": return midnight(now, days: -1)
        default: break
        }
        if text.hasPrefix("@") { return Int64(text.dropFirst()).flatMap(microseconds) }
        if text.hasPrefix("-") { return span(text.dropFirst()).map(now.subtracting) }
        if text.hasSuffix(" ago") { return span(text.dropLast(4)).map(now.subtracting) }
        return date(text, now)
    }

    private static func microseconds(_ seconds: Int64) -> Int64? {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? nil : product
    }

    private static func span(_ text: Substring) -> Int64? {
        guard let span = try? TimeSpanText.parse(String(text)) else { return nil }
        return Int64(clamping: span.microseconds)
    }

    private static func local(_ now: Int64) -> tm {
        var seconds = time_t(now / 1_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return parts
    }

    private static func midnight(_ now: Int64, days: Int32) -> Int64? {
        var parts = local(now)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (0, 0, 0)
        parts.tm_mday += days
        parts.tm_isdst = -1
        return microseconds(Int64(mktime(&parts)))
    }

    /// A date, a time of day, or both. The default for the date is today, for the time the beginning of the day.
    private static func date(_ text: String, _ now: Int64) -> Int64? {
        var parts = local(now)
        (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
        let words = text.split(separator: " ")
        for (position, word) in words.enumerated() {
            if position == 0, let date = numbers(word, "-"), date.count == 3 {
                (parts.tm_year, parts.tm_mon, parts.tm_mday) = (date[0] - 1900, date[1] - 1, date[2])
            } else if position == words.count - 1, let time = numbers(word, ":"), (2...3).contains(time.count) {
                (parts.tm_hour, parts.tm_min, parts.tm_sec) = (time[0], time[1], time.count == 3 ? time[2] : 0)
            } else {
                return nil
            }
        }
        guard (1...2).contains(words.count) else { return nil }
        let asked = parts
        let seconds = mktime(&parts)
        // mktime(3) normalizes 25:61 and the 31st of June.
        let isReal =
            (asked.tm_mon, asked.tm_mday, asked.tm_min, asked.tm_sec)
            == (parts.tm_mon, parts.tm_mday, parts.tm_min, parts.tm_sec)
        return isReal && asked.tm_hour < 24 ? microseconds(Int64(seconds)) : nil
    }

    private static func numbers(_ word: Substring, _ separator: Character) -> [Int32]? {
        let parts = word.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ? Int32(part) : nil
        }
        return numbers.count == parts.count && numbers.allSatisfy { $0 < 10000 } ? numbers : nil
    }
}
