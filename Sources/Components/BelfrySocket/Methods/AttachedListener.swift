// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Lifecycle
internal import Varlink

/// An attached program as a listener. It gets notifications as replies to `Attach`; its outcomes come with `Answer`,
/// see `AttachedListenerList`.
final class AttachedListener: LifecycleListener {
    let parameters: AttachParameters
    let request: VarlinkRequest
    let origin: PeerOrigin
    /// What its program has reported.
    var health: ListenerHealth
    /// When it has last reported that it is healthy, by CLOCK_REALTIME.
    var healthyUsec: Int64?
    /// The tokens of notifications that it has not answered.
    var tokens: Set<UTF8Text> = []
    private weak var list: AttachedListenerList?

    init(
        _ parameters: AttachParameters, _ request: VarlinkRequest, origin: PeerOrigin, in list: AttachedListenerList
    ) {
        self.parameters = parameters
        health = parameters.health
        self.request = request
        self.origin = origin
        self.list = list
    }

    var name: String { parameters.name }
    var follows: [String] { parameters.follows }
    /// A launch does not depend on programs that happen to attach before its end, unless one refuses it.
    var isRequired: Bool { false }

    var answers: [LifecycleAnswer] {
        for name in parameters.names { onOutcome(name, deadline: parameters.deadline, ask) }
        for action in parameters.actions {
            onOutcome(.performAction, deadline: parameters.deadline, action: action, ask)
        }
    }

    /// Sends a notification to the program. Returns what gives up waiting for its answer.
    private func ask(
        _ notification: LifecycleNotification, _ progress: ListenerProgress,
        _ completion: @escaping (AnswerEnd) -> Void
    ) -> () -> Void { list?.ask(self, notification, progress, completion) ?? {} }
}

/// The parameters of `Attach`, checked.
nonisolated struct AttachParameters {
    let name: String
    let names: [LifecycleNotification.Name]
    let follows: [String]
    let actions: [LifecycleAction]
    let deadline: Duration?
    /// Whether a first reply confirms that the listener is attached.
    let isConfirmed: Bool
    /// Whether replies tell the state: the first one, and one after each change.
    let wantsState: Bool
    /// That of its program from the beginning.
    let health: ListenerHealth

    /// What is wrong with the parameters.
    enum Problem: Error {
        case parameter(String)
        case name(String)
    }

    /// How many names, followed listeners and actions there may be together, and their bytes.
    private static let most = (items: 256, bytes: 4096)

    init(_ parameters: JSONObject) throws(Problem) {
        try Self.checkSize(parameters)
        name = parameters["listener"]?.stringValue ?? ""
        // Listeners have names of the same form as notifications.
        if LifecycleNotification.Name(name) == nil { throw .parameter("listener") }
        var names: [LifecycleNotification.Name] = []
        var seen: Set<LifecycleNotification.Name> = []
        for text in Self.strings(parameters["names"]) {
            // Actions are requested by their ids in 'actions'.
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
        wantsState = parameters["state"]?.boolValue ?? false
        guard let health = ListenerHealth(parameters) else { throw .parameter("health") }
        self.health = health
    }

    /// Throws the name of the first list with which the limit is exceeded.
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

nonisolated extension ListenerHealth {
    /// The longest reason of a program that is not healthy, in Unicode scalars.
    private static let longestReason = 2048

    /// What a program reports with `Attach` or `ReportHealth`; nil for another word.
    init?(_ parameters: JSONObject) {
        let scalars = (parameters["reason"]?.stringValue ?? "no reason given").unicodeScalars
        let reason = String(scalars.prefix(Self.longestReason))
        switch UTF8Text(parameters["health"]?.stringValue ?? "healthy") {
        case "healthy": self = .healthy
        case "unknown": self = .unknown(reason)
        case "degraded": self = .degraded(reason)
        default: return nil
        }
    }
}

nonisolated extension ListenerOutcome {
    /// The longest reason of a program, in bytes. It is kept as long as the program is attached.
    private static let longestReason = 4096

    /// The outcome for a word of `Answer`; nil for any other text.
    init?(_ word: String, reason: String?) {
        let reason = reason?.cut(toBytes: Self.longestReason) ?? "no reason given"
        switch UTF8Text(word) {
        case "completed": self = .completed
        case "handled": self = .handled
        case "declined": self = .declined
        case "refused": self = .refused(reason)
        case "failed": self = .failed(reason)
        case "newData": self = .fetched(.newData)
        case "noData": self = .fetched(.noData)
        default: return nil
        }
    }
}
