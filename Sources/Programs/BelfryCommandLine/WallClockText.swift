// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc

/// Points in time as text, in the time zone of this process.
package enum WallClockText {
    /// `14:03:22.123`.
    package static func time(_ realtime: Int64) -> String { text(realtime, "%H:%M:%S.") + fraction(realtime, 3) }

    /// `2026-01-02 14:03:22`.
    package static func dateAndTime(_ realtime: Int64) -> String { text(realtime, "%Y-%m-%d %H:%M:%S") }

    /// `2026-01-02T14:03:22.123456+0100`, for programs.
    package static func full(_ realtime: Int64) -> String {
        text(realtime, "%Y-%m-%dT%H:%M:%S.") + fraction(realtime, 6) + text(realtime, "%z")
    }

    /// The first digits of the fraction of the second.
    private static func fraction(_ realtime: Int64, _ digits: Int) -> Substring {
        "\(1_000_000 + split(realtime).microseconds)".dropFirst().prefix(digits)
    }

    private static func text(_ realtime: Int64, _ format: String) -> String {
        var seconds = time_t(split(realtime).seconds)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "?" }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = buffer.withUnsafeMutableBytes {
            strftime($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, format, &parts)
        }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Whole seconds, rounded down also before 1970, and the rest.
    private static func split(_ realtime: Int64) -> (seconds: Int64, microseconds: Int64) {
        let (seconds, rest) = realtime.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0 ? (seconds - 1, rest + 1_000_000) : (seconds, rest)
    }
}
