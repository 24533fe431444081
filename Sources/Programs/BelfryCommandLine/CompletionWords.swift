// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import Glibc
package import Varlink

/// What a shell offers to complete a command line.
package enum CompletionWords {
    /// The texts without characters that are special to a shell, each once. bash expands the words given to compgen, so
    /// a service could otherwise make it run commands.
    package static func plain(_ texts: some Sequence<String>) -> [String] {
        let words = texts.lazy.filter { text in
            (1...255).contains(text.utf8.count)
                && text.utf8.allSatisfy { isalnum(Int32($0)) != 0 || "-._:/@+".utf8.contains($0) }
        }
        return Set(words.prefix(10_000)).sorted()
    }

    /// The reply of the service, if it runs and replies within a second. The program runs here only to complete, on one
    /// thread.
    @MainActor package static func reply(to method: String, _ context: CommandContext) -> JSONObject {
        guard let client = try? context.connect() else { return [:] }
        var reply: JSONObject = [:]
        MainThreadExecutor.task {
            reply = (try? await client.call(method, to: "ask", within: .seconds(1))) ?? [:]
            context.loop.exit(0)
        }
        _ = try? context.loop.run()
        return reply
    }

    /// The last of these options with its value: in a word of its own, or after `=`, which bash passes as a separate
    /// word (`COMP_WORDBREAKS` in bash(1)). Empty if there is none, or its value is missing.
    package static func last(of options: [String], in words: [String]) -> [String] {
        for (place, word) in words.enumerated().reversed() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard options.contains(where: parts[0].hasSameBytes) else { continue }
            guard let value = parts.count == 2 ? parts[1] : words[(place + 1)...].first(where: { $0 != "=" }) else {
                return []
            }
            return [parts[0], value]
        }
        return []
    }
}
