// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Points in time for people, in the time zone of this process.
nonisolated enum WallClockText {
    /// `14:03:22.123`.
    static func time(_ realtime: Int64) -> String {
        text(realtime, "%H:%M:%S") + "." + digits(split(realtime).microseconds / 1000, 3)
    }

    /// `2026-01-02 14:03:22`.
    static func dateAndTime(_ realtime: Int64) -> String { text(realtime, "%Y-%m-%d %H:%M:%S") }

    /// `2026-01-02T14:03:22.123456+0100`, for programs.
    static func full(_ realtime: Int64) -> String {
        text(realtime, "%Y-%m-%dT%H:%M:%S") + "." + digits(split(realtime).microseconds, 6) + text(realtime, "%z")
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

    /// Whole seconds, also before 1970, and what is left.
    private static func split(_ realtime: Int64) -> (seconds: Int64, microseconds: Int64) {
        let (seconds, rest) = realtime.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0 ? (seconds - 1, rest + 1_000_000) : (seconds, rest)
    }

    private static func digits(_ value: Int64, _ count: Int) -> String {
        let text = "\(value)"
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
