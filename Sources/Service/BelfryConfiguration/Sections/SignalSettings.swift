// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Glibc
package import Lifecycle

/// `[Signals]`: what each signal does.
package nonisolated struct SignalSettings: Sendable, Equatable {
    /// The actions by signal number.
    package var actions: [CInt: SignalAction] = [:]

    init(_ section: SectionReader) {
        let defaults: [(name: String, action: SignalAction)] = [
            ("TERM", .stop), ("INT", .stop), ("HUP", .reload), ("TSTP", .pause), ("CONT", .resume),
            ("USR1", .post(.flushRequested)), ("USR2", .post(.statusRequested)), ("PWR", .post(.powerFailing)),
            ("QUIT", .stopNow), ("RTMIN+18", .control), ("PIPE", .ignore),
        ]
        for (name, action) in defaults {
            set(name, section.value(name, SignalAction.init, default: action.description, doubt: Self.doubt))
        }
        for key in section.content.unread {
            set(key.string, section.optional(key.string, SignalAction.init, doubt: Self.doubt))
        }
    }

    private mutating func set(_ name: String, _ action: SignalAction?) {
        guard let number = try? SignalName.number(name) else { return }
        actions[number] = action
    }

    /// The warning about a name that is almost one of Belfry's.
    private static func doubt(_ action: SignalAction?) -> String? {
        guard case .post(let name) = action else { return nil }
        let near = NotificationName.nearMiss(name.rawValue, of: SignalAction.names)
        return near.map { "'\(name)' is taken as a notification name, did you mean the action '\($0)'?" }
            ?? NotificationName.doubt(name)
    }
}

nonisolated extension SignalName {
    /// The signals that can be mapped to an action.
    package static var mappable: [CInt] {
        (standard.map(\.number) + realTime).filter { whyNotMappable($0) == nil }
    }

    /// The name of a signal that can be mapped to an action: `USR1` for `SIGUSR1`.
    ///
    /// - Throws: `ValueProblem` if there is no such signal, or it cannot be mapped.
    static func mappable(_ text: String) throws(ValueProblem) -> String {
        let number = try number(text)
        if let reason = whyNotMappable(number) {
            throw ValueProblem("signal \(DisplayText.quoted(text)) cannot be mapped, \(reason)")
        }
        return name(of: number) ?? text
    }

    /// Why a signal cannot be mapped to an action; nil if it can.
    package static func whyNotMappable(_ number: CInt) -> String? {
        switch number {
        case SIGKILL, SIGSTOP:
            "the kernel never delivers it"
        case SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS:
            "it reports a fault of the program itself"
        case SIGCHLD:
            "the service needs it to wait for its children"
        default:
            nil
        }
    }
}

/// The actions in a configuration.
nonisolated extension SignalAction: CustomStringConvertible {
    private static let actions: [String: SignalAction] = [
        "stop": .stop, "stopNow": .stopNow, "reload": .reload, "pause": .pause, "resume": .resume,
        "interrupt": .interrupt, "control": .control, "ignore": .ignore,
    ]

    /// The names of the actions, sorted. Any other name is that of a notification.
    package static let names = actions.keys.sorted()

    /// What stands before the identifier of an action that a listener offers.
    private static let perform = "performAction:"

    /// The action of that name, `performAction:` with an action of a listener, or else the notification of that name.
    ///
    /// - Throws: `ValueProblem` if it is none of these.
    package init(_ text: String) throws(ValueProblem) {
        if text.utf8.starts(with: Self.perform.utf8) {
            let id = Substring(text.utf8.dropFirst(Self.perform.utf8.count))
            guard !id.isEmpty else { throw ValueProblem("expected the action of a listener behind '\(Self.perform)'") }
            self = .perform(String(id))
            return
        }
        let name = try NotificationName.name(text)
        if let action = Self.actions[text] {
            self = action
        } else {
            guard !name.isTransition else {
                let actions = "'pause', 'resume', 'interrupt', 'reload', 'stop'"
                throw ValueProblem("'\(name)' is part of a transition and cannot be posted, name an action: \(actions)")
            }
            self = .post(name)
        }
    }

    /// The name in a configuration.
    package var description: String {
        switch self {
        case .post(let name): return name.rawValue
        case .perform(let id): return Self.perform + id
        default: break
        }
        return Self.actions.first { $0.value == self }?.key ?? ""
    }
}
