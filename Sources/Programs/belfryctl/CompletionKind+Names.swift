// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryCommandLine
import BelfryConfiguration
import Varlink

/// Completions that the shell gets from the running service.
extension CompletionKind {
    /// Names of notifications that can be posted: Belfry's own, and those that a listener of the service handles.
    static var notifications: CompletionKind {
        .custom { words, _, _ in
            let answered = reply(to: "ListListeners", words)["listeners"]?.arrayValue ?? []
            let names = answered.lazy.flatMap { $0["interests"]?.arrayValue ?? [] }.compactMap(\.stringValue)
            let others = CompletionWords.plain(names).filter { !NotificationName.known.contains($0) }
            return CompletionWords.plain(NotificationName.postable + others)
        }
    }

    /// The listeners of the service.
    static var listeners: CompletionKind {
        .custom { words, _, _ in
            let listeners = reply(to: "ListListeners", words)["listeners"]?.arrayValue ?? []
            return CompletionWords.plain(listeners.lazy.compactMap { $0["name"]?.stringValue })
        }
    }

    /// The applications that have a file or are examples.
    static var applications: CompletionKind {
        .custom { _, _, _ in CompletionWords.plain(ApplicationFile.names(in: .ofProcess.withExamples) { _ in }) }
    }

    /// The reply of the service that the words name.
    private static func reply(to method: String, _ words: [String]) -> JSONObject {
        MainActor.assumeIsolated {
            let given = CompletionWords.last(of: ["--socket", "--instance", "-i"], in: words)
            guard let options = try? ConnectionOptions.parse(given), let context = try? options.context() else {
                return [:]
            }
            return CompletionWords.reply(to: method, context)
        }
    }
}
