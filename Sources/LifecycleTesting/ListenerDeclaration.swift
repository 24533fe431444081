// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// What can be seen of a listener without calling it.
struct ListenerDeclaration {
    private let listener: any LifecycleListener

    init(_ listener: any LifecycleListener) { self.listener = listener }

    var failures: [String] { name + interests + actions + deadlines }

    private var name: [String] {
        let name = listener.name
        if name.isEmpty { return ["has a name: it is empty"] }
        if name.utf8.count > 255 { return ["has a name: it is longer than 255 bytes"] }
        if name.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }) {
            return ["has a name: '\(name)' has white space or control characters in it"]
        }
        if listener.name != name { return ["has a name: '\(name)' is another one when it is read again"] }
        return listener.follows.contains(name) ? ["has a place: '\(name)' follows itself"] : []
    }

    private var interests: [String] {
        let names = listener.answers.filter { $0.action == nil }.map(\.name)
        if names != listener.answers.filter({ $0.action == nil }).map(\.name) {
            return ["declares each interest once: others are declared when they are read again"]
        }
        return Self.repeated(names.map(\.rawValue)).map { "declares each interest once: '\($0)' is declared again" }
    }

    private var actions: [String] {
        let ids = listener.answers.compactMap(\.action?.id)
        if ids.contains("") { return ["offers each action once: one has no id"] }
        return Self.repeated(ids).map { "offers each action once: '\($0)' is offered again" }
    }

    private var deadlines: [String] {
        listener.answers.filter { $0.deadline.map { $0 <= .zero } ?? false }.map {
            "leaves itself time: the deadline for '\($0.name)' is \($0.deadline ?? .zero)"
        }
    }

    private static func repeated(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { !seen.insert($0).inserted }
    }
}
