// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The option `--socket` on a line that is still being written.
package nonisolated enum SocketWord {
    /// The value that it is given last: in a word of its own, or after `=`, which bash takes for a word too
    /// (`COMP_WORDBREAKS` in bash(1)).
    package static func last(of words: [String]) -> String? {
        let prefix = "\(option)="
        guard let place = words.lastIndex(where: { $0 == option || $0.utf8.starts(with: prefix.utf8) }) else {
            return nil
        }
        guard words[place] == option else {
            return String(decoding: words[place].utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        }
        return words[(place + 1)...].first { $0 != "=" }
    }

    private static let option = "--socket"
}
