// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import BelfrySystemd
internal import Lifecycle

/// The status line of the unit: what the service does, whom the transition under way waits for, which listeners are
/// unhealthy; and the messages that go with it. It extends the unit's timeout when a listener reports progress, and
/// while a stop waits for its turn.
final class ManagerStatus {
    /// How long a transition takes before the line says whom it waits for, and how often it is updated then.
    private static let interval: Duration = .seconds(1)
    /// How many listeners are named at most.
    private static let mostNamed = 10

    private let loop: MainEventLoop
    private unowned let mediator: LifecycleMediator
    private let manager: ServiceManagerSocket
    private let pause: PauseMarker
    private let log: ServiceLog
    private var timer: TimerEventSource?
    private var events: LifecycleObservation?
    private var extensions = TimeoutExtension()
    /// What the service does.
    private var text = "launching"
    /// What the transition under way does.
    private var passing: String?
    private var pending: [String] = []
    /// The listeners whose last call failed, at the end of the last change of state or reload.
    private var failed: [String] = []
    /// The last progress texts of pending listeners.
    private var progressTexts: [String: String] = [:]
    /// The last progress of listeners that posts wait for, and the numbers of the notifications.
    private var posts: [String: (sequence: UInt64, text: String)] = [:]
    private var endOfPosts: LifecycleObservation?
    private var sent: String?
    private var isStopping = false
    private var hasFailed = false
    /// Whether the unit's times are known, and the mediator keeps to them.
    private let isTimeKnown: () -> Bool

    /// The unhealthy listeners.
    var unhealthy: [ListenerHealthReport] = [] {
        didSet { refresh() }
    }

    init(
        loop: MainEventLoop, mediator: LifecycleMediator, manager: ServiceManagerSocket, pause: PauseMarker,
        log: ServiceLog, isTimeKnown: @escaping () -> Bool
    ) {
        (self.loop, self.mediator, self.manager) = (loop, mediator, manager)
        (self.pause, self.log, self.isTimeKnown) = (pause, log, isTimeKnown)
        events = mediator.addEventObserver(for: .stopAccepted, .began, .progress, .transitionEnded) { [weak self] in
            switch $0 {
            case .stopAccepted(let origin): self?.stop(origin)
            case .began(let transition): self?.begin(transition)
            case .progress(let progress): self?.receive(progress)
            case .transitionEnded(let report): self?.end(report)
            default: break
            }
        }
    }

    /// Shows the state that the service has come to.
    ///
    /// - Parameter isReady: whether it is the end of a launch or of a reload.
    func show(_ text: String, isReady: Bool = false) {
        // After STOPPING=1 there is no other state.
        guard !isStopping else { return }
        self.text = text
        watchNothing()
        send(isReady ? [.ready] : [])
    }

    private func stop(_ origin: LifecycleOrigin) {
        isStopping = true
        text = "stopping, asked by \(origin.words)"
        watch(passing: nil)
        send([.stopping])
    }

    private func begin(_ transition: PendingTransition) {
        guard !isStopping else { return }
        let words = transition.origin.words
        switch transition.trigger {
        case .launch:
            watch(passing: nil)
            send()
        case .reload where !transition.isDryRun:
            watch(passing: "reloading")
            send([.reloading(monotonicUsec: mediator.clock.now.monotonicUsec)])
        case .reload: watch(passing: "checking the configuration, asked by \(words)")
        case .pause: watch(passing: "pausing, asked by \(words)")
        case .interrupt: watch(passing: "interrupting, asked by \(words)")
        case .resume, .continued, .endSuspension: watch(passing: "continuing, asked by \(words)")
        case .stop, .suspend, .refuseLaunch: break
        }
    }

    /// From now on the line says whom the transition waits for, once that takes long.
    private func watch(passing: String?) {
        self.passing = passing
        pending = []
        progressTexts = [:]
        extensions = TimeoutExtension()
        timer = try? loop.timer(after: Self.interval) { [unowned self] in update() }
    }

    private func end(_ report: TransitionReport) {
        guard !isStopping else { return }
        watchNothing()
        failed = mediator.listeners.filter(\.record.hasFailed).prefix(Self.mostNamed).map {
            ", listener '\($0.name)' failed"
        }
        switch report.trigger {
        case .launch where mediator.state == .background:
            show("\(mediator.state.words)\(pause.record.map { " by \($0.words)" } ?? "")", isReady: true)
        case .pause where mediator.state == .background && !report.notifications.isEmpty:
            show("\(mediator.state.words) by \(pause.record?.words ?? report.origin.words)")
        default: refresh()
        }
    }

    private func watchNothing() {
        passing = nil
        pending = []
        timer = nil
    }

    private func send(_ messages: [ServiceManagerMessage] = []) {
        sent = line
        guard case .failed(let error) = manager.send(messages + [.status(line)]), !hasFailed else { return }
        hasFailed = true
        log.write(.warning, "\(error), going on", .managerBusy)
    }

    private var line: String {
        let waits = pending.isEmpty ? "" : ", waiting for \(pending.joined(separator: ", "))"
        let problems = unhealthy.map { report in
            ", listener '\(report.listener)' is \(report.health.kind): \(report.health.reason ?? "")"
        }
        let work = posts.keys.sorted().prefix(Self.mostNamed).map { ", '\($0)': \(posts[$0]?.text ?? "")" }
        return (passing ?? text) + waits + (passing == nil && !isStopping ? failed : []).joined() + work.joined()
            + problems.joined()
    }

    private func update() {
        guard mediator.isInTransition else { return timer = nil }
        updatePending()
        // The whole time of the stop is still to come.
        let whole = mediator.deadlines.stop + UnitTimeouts.mostReserved
        if mediator.isAwaitingTurn, let time = extensions.time(for: whole, at: .now) {
            send([.extendTimeout(time)])
        } else {
            refresh()
        }
        try? timer?.fire(after: Self.interval)
    }

    private func receive(_ progress: LifecycleProgress) {
        guard let trigger = progress.trigger else { return receivePost(progress) }
        progressTexts[progress.name] = progress.text ?? progressTexts[progress.name]
        updatePending()
        let isTimed = [.launch, .reload, .stop].contains(trigger)
        // The unit may allow less than what was configured, as long as its times are unknown.
        let needed: Duration? = progress.isExtended ? progress.remaining : isTimeKnown() ? nil : progress.window
        if isTimed, let needed, let time = extensions.time(for: needed, at: .now) {
            send([.extendTimeout(time)])
        } else if extensions.isDue(at: .now) {
            refresh()
        }
    }

    private func receivePost(_ progress: LifecycleProgress) {
        guard let sequence = progress.sequence, let text = progress.text else { return }
        posts[progress.name] = (sequence, text)
        if endOfPosts == nil {
            endOfPosts = mediator.addEventObserver(for: .delivered) { [weak self] in
                if case .delivered(let report) = $0 { self?.endPost(report.notification.sequence) }
            }
        }
        if extensions.isDue(at: .now) { refresh() }
    }

    private func endPost(_ sequence: UInt64) {
        guard posts.values.contains(where: { $0.sequence == sequence }) else { return }
        posts = posts.filter { $0.value.sequence != sequence }
        if posts.isEmpty { endOfPosts = nil }
        refresh()
    }

    private func updatePending() {
        let names = mediator.pending
        pending = names.prefix(Self.mostNamed).map { name in "'\(name)'" + (progressTexts[name].map { ": \($0)" } ?? "")
        }
        if names.count > Self.mostNamed { pending.append("\(names.count - Self.mostNamed) more") }
    }

    private func refresh() {
        guard sent != nil, sent != line else { return }
        send()
    }
}

/// Decides when EXTEND_TIMEOUT_USEC is sent, and with which time: a little more than needed, so that a listener that
/// reports often does not cause as many messages.
package nonisolated struct TimeoutExtension: Sendable {
    /// The time beyond what listeners need: for the rest of the way, and to send less often.
    package static let slack: Duration = .seconds(2)
    private static let pause: Duration = .milliseconds(200)

    private var granted: (from: MonotonicInstant, time: Duration)?
    private var last: MonotonicInstant?

    /// The time to send now; nil when the last one is enough.
    package mutating func time(for needed: Duration, at now: MonotonicInstant) -> Duration? {
        if let granted, granted.time - (now - granted.from) >= needed + Self.slack / 2 { return nil }
        granted = (now, needed + Self.slack)
        last = now
        return needed + Self.slack
    }

    /// Whether another status may be sent: no more often than a person reads.
    package mutating func isDue(at now: MonotonicInstant) -> Bool {
        if let last, now - last < Self.pause { return false }
        last = now
        return true
    }
}
