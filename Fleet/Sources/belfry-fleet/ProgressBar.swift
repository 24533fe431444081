// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCommandLine
import Glibc

/// One line of a terminal that shows how far something is.
@MainActor
final class ProgressBar {
    /// The part that is done, if it is known, and what was done.
    typealias Progress = (part: Double?, text: String)

    /// The number of characters of the bar.
    private static let width = 24

    private let stream: StandardStream
    private var isShown = false

    private init(_ stream: StandardStream) { self.stream = stream }

    /// A bar on standard error; nil if that is no terminal, or one that cannot rewrite a line.
    static func onTerminal() -> ProgressBar? {
        let stream = StandardStream.error
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
        return stream.isTerminal && !isDumb ? ProgressBar(stream) : nil
    }

    /// Shows the progress.
    func show(_ progress: Progress) {
        isShown = true
        write("\r\(Self.line(progress))\u{1B}[K")
    }

    /// Empties the line.
    func clear() {
        if isShown { write("\r\u{1B}[K") }
        isShown = false
    }

    /// `[######------------------]  25 %  removed 1 of 4 files`
    static func line(_ progress: Progress) -> String {
        guard let part = progress.part else { return progress.text }
        let part100 = Int(min(max(part, 0), 1) * 100)
        let done = part100 * width / 100
        let bar = String(repeating: "#", count: done) + String(repeating: "-", count: width - done)
        return "[\(bar)] \("\(part100)".rightAligned(3)) %  \(progress.text)"
    }

    private func write(_ text: String) { stream.write(text) }
}
