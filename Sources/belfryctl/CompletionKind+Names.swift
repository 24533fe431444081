// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration
import BelfryControl
import EventLoop
import Glibc
import Varlink

/// What the shell completes from the living service.
extension CompletionKind {
    /// Names of notifications: Belfry's own, and those that a listener of the service answers.
    static var notifications: CompletionKind {
        .custom { words, _, _ in
            let answered = reply(to: "ListListeners", words)["listeners"]?.arrayValue ?? []
            let names = answered.flatMap { $0["interests"]?.arrayValue ?? [] }.compactMap(\.stringValue)
            return Set(NotificationName.known + names).sorted()
        }
    }

    /// The actions that are offered.
    static var actions: CompletionKind {
        .custom { words, _, _ in
            let actions = reply(to: "ListActions", words)["actions"]?.arrayValue ?? []
            return actions.compactMap { $0["id"]?.stringValue }.sorted()
        }
    }

    /// What the service says, if it runs and answers at once. The shell asks in a process of its own, on its one thread.
    private static func reply(to method: String, _ words: [String]) -> JSONObject {
        MainActor.assumeIsolated {
            let socket = SocketWord.last(of: words).map { ["--socket", $0] } ?? []
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
