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

    /// The listeners of the service.
    static var listeners: CompletionKind {
        .custom { words, _, _ in
            let listeners = reply(to: "ListListeners", words)["listeners"]?.arrayValue ?? []
            return plain(listeners.lazy.compactMap { $0["name"]?.stringValue })
        }
    }

    /// The actions that listeners offer.
    static var actions: CompletionKind {
        .custom { words, _, _ in
            let actions = reply(to: "ListActions", words)["actions"]?.arrayValue ?? []
            return plain(actions.lazy.compactMap { $0["id"]?.stringValue })
        }
    }

    /// The hosts of the fleet.
    static var hosts: CompletionKind {
        .custom { words, _, _ in
            let hosts =
                reply(to: FleetClient.full("List"), words, default: FleetClient.socket)["hosts"]?.arrayValue ?? []
            return plain(hosts.lazy.compactMap { $0["name"]?.stringValue })
        }
    }

    /// Instances of belfryd: those that have a configuration directory, and those that run.
    static var instances: CompletionKind {
        .custom { _, _, _ in
            let patterns = ConfigurationSources.directories(of: RuntimePaths.belfry, "*") + ["/run/belfry@*"]
            let paths = patterns.lazy.flatMap(ServiceSearch.paths(matching:))
            return plain(
                paths.map { String($0.split(separator: "/").last?.split(separator: "@", maxSplits: 1).last ?? "") })
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
    ///
    /// - Parameter socket: where the service is, unless the words say it; nil for the default of all commands.
    private static func reply(
        to method: String, _ words: [String], default socket: String? = nil
    ) -> JSONObject {
        MainActor.assumeIsolated {
            let given = ConnectionWords.last(of: words)
            guard
                let options = try? ConnectionOptions.parse(
                    given.isEmpty ? socket.map { ["--socket", $0] } ?? [] : given),
                let context = try? CommandContext(options),
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

/// The option that names the service in a command line that is being completed.
enum ConnectionWords {
    private static let options = ["--socket", "--instance", "-i"]

    /// The last of these options with its value: in a word of its own, or after `=`, which bash passes as a separate word
    /// (`COMP_WORDBREAKS` in bash(1)). Empty if there is none, or its value is missing.
    static func last(of words: [String]) -> [String] {
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
