// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryConfiguration
import BelfryEventLoop
import Glibc
import Varlink

/// Completions that the shell gets from the running service.
extension CompletionKind {
    /// Names of notifications: Belfry's own, and those that a listener of the service handles.
    static var notifications: CompletionKind {
        .custom { words, _, _ in
            let answered = reply(to: "ListListeners", words)["listeners"]?.arrayValue ?? []
            let names = answered.lazy.flatMap { $0["interests"]?.arrayValue ?? [] }.compactMap(\.stringValue)
            return plain(NotificationName.known + plain(names))
        }
    }

    /// The actions that listeners offer.
    static var actions: CompletionKind {
        .custom { words, _, _ in
            let actions = reply(to: "ListActions", words)["actions"]?.arrayValue ?? []
            return plain(actions.lazy.compactMap { $0["id"]?.stringValue })
        }
    }

    /// The texts without characters that are special to a shell, each once. bash expands the words given to compgen, so a
    /// service could otherwise make it run commands.
    private static func plain(_ texts: some Sequence<String>) -> [String] {
        let words = texts.lazy.filter { text in
            (1...255).contains(text.utf8.count)
                && text.utf8.allSatisfy { isalnum(Int32($0)) != 0 || "-._:/@+".utf8.contains($0) }
        }
        return Set(words.prefix(10_000)).sorted()
    }

    /// The reply of the service, if it runs and replies within a second. belfryctl runs here only to complete, on one
    /// thread.
    private static func reply(to method: String, _ words: [String]) -> JSONObject {
        MainActor.assumeIsolated {
            let socket = SocketOption.last(of: words).map { ["--socket", $0] } ?? []
            guard let options = try? ConnectionOptions.parse(socket), let context = try? CommandContext(options),
                SystemUnit.mayRun(context.path),
                let client = try? context.connect()
            else { return [:] }
            var reply: JSONObject = [:]
            MainThreadExecutor.task {
                reply = (try? await client.call(method, to: "ask", within: .seconds(1))) ?? [:]
                context.loop.exit(0)
            }
            _ = try? context.loop.run()
            return reply
        }
    }
}

/// The option `--socket` in a command line that is being completed.
enum SocketOption {
    /// The last value of the option: in a word of its own, or after `=`, which bash passes as a separate word
    /// (`COMP_WORDBREAKS` in bash(1)).
    static func last(of words: [String]) -> String? {
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
