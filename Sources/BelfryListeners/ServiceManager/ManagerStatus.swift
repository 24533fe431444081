// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import BelfryLinux
internal import BelfrySystemd
internal import Lifecycle

/// What `systemctl status` shows: what the service does, whom it waits for, who is not well. Asks for more time where
/// somebody reports progress.
final class ManagerStatus {
    /// How long nobody is named who is waited for, and how often the status is looked at while the service waits.
    private static let interval: Duration = .seconds(1)
    /// How many are named who are waited for.
    private static let mostNamed = 10

    private let loop: MainEventLoop
    private unowned let mediator: LifecycleMediator
    private let manager: ServiceManagerSocket
    private var timer: TimerEventSource?
    private var events: LifecycleObservation?
    private var extensions = TimeoutExtension()
    private var text = ""
    private var awaited: [String] = []
    /// What those who are waited for said of themselves.
    private var words: [String: String] = [:]
    private var sent: String?

    /// Whether the times that the unit allows are known, and the mediator keeps to them.
    var isTimeKnown = false
    /// Those that are not healthy.
    var troubled: [ListenerHealthReport] = [] {
        didSet { refresh() }
    }

    init(loop: MainEventLoop, mediator: LifecycleMediator, manager: ServiceManagerSocket) {
        self.loop = loop
        self.mediator = mediator
        self.manager = manager
        events = mediator.addEventObserver(for: [.stopAccepted, .progress]) { [weak self] in
            // The manager's time for a stop is a new one.
            if case .stopAccepted = $0 { self?.extensions = TimeoutExtension() }
            if case .progress(let progress) = $0 { self?.note(progress) }
        }
    }

    /// Says what the service does, along with other messages.
    ///
    /// - Parameter waiting: whether listeners may have to be waited for, so that they are to be named.
    func say(_ text: String, with messages: [ServiceManagerMessage] = [], waiting: Bool = false) throws(SystemError) {
        self.text = text
        awaited = []
        words = [:]
        extensions = TimeoutExtension()
        timer = waiting ? try loop.timer(after: Self.interval) { [unowned self] in look() } : nil
        sent = line
        if case .failed(let error) = manager.send(messages + [.status(line)]) { throw error }
    }

    /// Says once more what was said last.
    func sayAgain() throws(SystemError) {
        if case .failed(let error) = manager.send([.status(sent ?? line)]) { throw error }
    }

    private var line: String {
        let waits = awaited.isEmpty ? "" : ", waiting for \(awaited.joined(separator: ", "))"
        let troubles = troubled.map { report in
            ", listener '\(report.listener)' is \(report.health.word): \(report.health.reason ?? "")"
        }
        return text + waits + troubles.joined()
    }

    private func look() {
        guard mediator.isInTransition else { return timer = nil }
        nameAwaited()
        refresh()
        try? timer?.fire(after: Self.interval)
    }

    private func note(_ progress: LifecycleProgress) {
        words[progress.name] = progress.text ?? words[progress.name]
        nameAwaited()
        let isTimed = [.launch, .reload, .stop].contains(progress.trigger)
        // What the unit allows may be less than what was configured, as long as nobody could ask.
        let needed: Duration? = progress.isExtended ? progress.remaining : isTimeKnown ? nil : progress.window
        if isTimed, let needed, let time = extensions.time(for: needed, at: .now) {
            sent = line
            manager.send([.extendTimeout(time), .status(line)])
        } else if extensions.isDue(at: .now) {
            refresh()
        }
    }

    private func nameAwaited() {
        let names = mediator.pending
        awaited = names.prefix(Self.mostNamed).map { name in "'\(name)'" + (words[name].map { ": \($0)" } ?? "") }
        if names.count > Self.mostNamed { awaited.append("\(names.count - Self.mostNamed) more") }
    }

    private func refresh() {
        guard sent != nil, sent != line else { return }
        sent = line
        manager.send([.status(line)])
    }
}

/// Decides when the service manager is asked for more time, and for how much: each time for a little more than is
/// needed, so that a listener that reports often does not make it ask as often, and never for what is not needed.
package nonisolated struct TimeoutExtension: Sendable {
    /// What is asked for beyond what listeners may take: for the way out, and for not asking again at once.
    package static let slack: Duration = .seconds(2)
    private static let pause: Duration = .milliseconds(200)

    private var granted: (from: MonotonicInstant, time: Duration)?
    private var last: MonotonicInstant?

    /// Nothing was asked for yet.
    package init() {}

    /// The time to ask for now, from now on; nil when what was asked for before is enough.
    package mutating func time(for needed: Duration, at now: MonotonicInstant) -> Duration? {
        if let granted, granted.time - (now - granted.from) >= needed + Self.slack / 2 { return nil }
        granted = (now, needed + Self.slack)
        last = now
        return needed + Self.slack
    }

    /// Whether something else may be said: not more often than a person reads.
    package mutating func isDue(at now: MonotonicInstant) -> Bool {
        if let last, now - last < Self.pause { return false }
        last = now
        return true
    }
}
