// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Lifecycle
internal import Varlink

/// A program on the other side of the socket as a listener like any other. It is told by replies to its call, and its
/// outcomes come from elsewhere: see `AttachedListenerList`.
final class AttachedListener: LifecycleListener {
    let name: String
    let follows: [String]
    let origin: PeerOrigin
    private let names: [LifecycleNotification.Name]
    private let actions: [LifecycleAction]
    private let deadline: Duration?
    private let tell: Tell

    /// Tells the program of a notification. What it is given hears of its progress and of its outcome; what it returns
    /// gives up.
    typealias Tell = (LifecycleNotification, ListenerProgress, @escaping (ListenerOutcome) -> Void) -> () -> Void

    init(_ wish: AttachmentWish, origin: PeerOrigin, _ tell: @escaping Tell) {
        name = wish.name
        follows = wish.follows
        names = wish.names
        actions = wish.actions
        deadline = wish.deadline
        self.origin = origin
        self.tell = tell
    }

    var answers: [LifecycleAnswer] {
        for name in names { onOutcome(name, deadline: deadline, tell) }
        for action in actions { onOutcome(.performAction, deadline: deadline, action: action, tell) }
    }
}

/// What a program asks for that wants to be a listener, once it was found to make sense.
nonisolated struct AttachmentWish {
    let name: String
    let names: [LifecycleNotification.Name]
    let follows: [String]
    let actions: [LifecycleAction]
    let deadline: Duration?
    /// Whether the first reply is to say that the listener is in its place.
    let isConfirmed: Bool

    /// What is wrong with a wish.
    enum Problem: Error {
        case parameter(String)
        case name(String)
    }

    /// How many names, followed listeners and actions may be asked for together, and their bytes.
    private static let most = (items: 256, bytes: 4096)

    init(_ parameters: JSONObject) throws(Problem) {
        try Self.checkSize(parameters)
        name = parameters["listener"]?.stringValue ?? ""
        // The same names as notifications have: they stand in configuration, in the journal and in tables.
        if LifecycleNotification.Name(name) == nil { throw .parameter("listener") }
        var names: [LifecycleNotification.Name] = []
        var seen: Set<LifecycleNotification.Name> = []
        for text in Self.strings(parameters["names"]) {
            // An action is asked for by its id, which stands in 'actions'.
            guard let name = LifecycleNotification.Name(text), name != .performAction else { throw .name(text) }
            if seen.insert(name).inserted { names.append(name) }
        }
        self.names = names
        follows = Self.strings(parameters["follows"])
        actions = (parameters["actions"]?.arrayValue ?? []).map {
            LifecycleAction($0["id"]?.stringValue ?? "", title: $0["title"]?.stringValue ?? "")
        }
        let usec = parameters["deadlineUsec"]?.intValue
        if let usec, usec <= 0 { throw .parameter("deadlineUsec") }
        deadline = usec.map { .microseconds($0) }
        isConfirmed = parameters["confirm"]?.boolValue ?? false
    }

    /// Names the list with which it becomes too much.
    private static func checkSize(_ parameters: JSONObject) throws(Problem) {
        var (items, bytes) = (0, 0)
        for list in ["names", "follows", "actions"] {
            for value in parameters[list]?.arrayValue ?? [] {
                items += 1
                for text in [value, value["id"], value["title"]] { bytes += text?.stringValue?.utf8.count ?? 0 }
                guard items <= most.items, bytes <= most.bytes else { throw .parameter(list) }
            }
        }
    }

    private static func strings(_ value: JSONValue?) -> [String] {
        value?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}

nonisolated extension ListenerOutcome {
    /// The outcome that a program may give by its word; nil for any other text.
    init?(_ word: String, reason: String?) {
        switch UTF8Text(word) {
        case "completed": self = .completed
        case "handled": self = .handled
        case "declined": self = .declined
        case "refused": self = .refused(reason ?? "no reason given")
        case "failed": self = .failed(reason ?? "no reason given")
        case "newData": self = .fetched(.newData)
        case "noData": self = .fetched(.noData)
        default: return nil
        }
    }
}
