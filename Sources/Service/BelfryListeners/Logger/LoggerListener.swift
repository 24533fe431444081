// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfrySystemd
package import Lifecycle

/// Writes one record for every notification and for every listener that did not do what it should.
///
/// It observes every notification, so that the record is written before any listener acts.
package final class LoggerListener: LifecycleListener {
    package let name = "logger"
    private let log: ServiceLog
    private let counter: String?
    private unowned let mediator: LifecycleMediator
    private var hasBegun = false
    private var observation: LifecycleObservation?
    private var events: LifecycleObservation?
    private var refusedPosts = RecordLimit<String>()
    private var unhealthy: [ListenerHealthReport] = []
    /// Runs for a second after the status of all listeners was written for a client.
    private var statusTimer: (any LifecycleTimer)?
    /// The last request of a client that was not answered yet.
    private var lastRequest: LifecycleNotification?

    /// Makes a logger, which writes what fails, and notifications after `begin`. Add it to the mediator as well: it
    /// answers `statusRequested` and reloads.
    ///
    /// - Parameters:
    ///   - mediator: the mediator whose notifications are logged.
    ///   - log: where to.
    ///   - counter: the id of the counter that numbers the notifications (`BELFRY_SEQUENCE_ID`).
    package init(mediator: LifecycleMediator, log: ServiceLog, counter: String? = nil) {
        self.mediator = mediator
        self.log = log
        self.counter = counter
        apply(mediator.configuration)
        events = mediator.addEventObserver(
            for: .listenerFailed, .listenerWorked, .listenerEnded, .merged, .healthChanged
        ) {
            [unowned self] in write($0)
        }
    }

    private func write(_ event: LifecycleMediator.Event) {
        switch event {
        case .listenerFailed(let report, let notification):
            var suppressed: RecordText? = ""
            if report.outcome.isTooManyPosts {
                suppressed = refusedPosts.admit(report.listener, at: mediator.clock.monotonic)
            }
            guard let suppressed else { return }
            let record = LifecycleJournalRecords.record(of: report, for: notification, suppressed)
            if let record { log.write(record) }
        case .listenerWorked(let report, let notification):
            guard observation != nil, notification.journalEntry != .none else { return }
            if let record = LifecycleJournalRecords.record(ofWork: report, for: notification) { log.write(record) }
        case .listenerEnded(let report, let notification):
            log.write(LifecycleJournalRecords.record(ofEnd: report, for: notification))
        case .merged(let trigger, let origin):
            if observation != nil { log.write(LifecycleJournalRecords.record(ofMerged: trigger, by: origin)) }
        case .healthChanged(let unhealthy): write(unhealthy)
        default: break
        }
    }

    package var answers: [LifecycleAnswer] {
        on(.statusRequested) { [self] in requestStatus($0) }
        on(.willFinishLaunching) { [self] _ in
            for (listener, name) in mediator.unknownFollowed {
                log.write(LifecycleJournalRecords.record(ofUnknown: name, followedBy: listener))
            }
        }
        on(.willReload) { [self] in try check($0) }
        on(.didReload) { [self] in apply($0.configuration) }
        on(.didFailToReload) { [self] in apply($0.configuration) }
    }

    /// Requests of clients within a second are answered once, at its end.
    private func requestStatus(_ notification: LifecycleNotification) {
        guard case .peer = notification.origin else { return writeStatus(notification) }
        lastRequest = notification
        if statusTimer == nil { writeLastRequest() }
    }

    private func writeLastRequest() {
        statusTimer = nil
        guard let request = lastRequest else { return }
        lastRequest = nil
        writeStatus(request)
        statusTimer = mediator.clock.schedule(after: .seconds(1)) { [weak self] in self?.writeLastRequest() }
    }

    private func writeStatus(_ notification: LifecycleNotification) {
        for status in mediator.listeners { log.write(LifecycleJournalRecords.record(of: status, for: notification)) }
    }

    private func check(_ notification: LifecycleNotification) throws {
        guard let settings = notification.configuration?[LoggerSettings.self] else { return }
        try log.check(target: settings.target)
    }

    private func apply(_ configuration: LifecycleConfiguration?) {
        guard let settings = configuration?[LoggerSettings.self] else { return }
        log.format = settings.format
        log.apply(target: settings.target, level: settings.level)
        observe(settings)
    }

    /// Begins to write records of notifications, as far as the settings say so.
    package func begin() {
        hasBegun = true
        if let settings = mediator.configuration[LoggerSettings.self] { observe(settings) }
    }

    private func observe(_ settings: LoggerSettings) {
        observation =
            hasBegun && settings.isEnabled
            ? observation
                ?? mediator.addObserver { [log, counter, unowned mediator] in
                    guard $0.journalEntry != .none else { return }
                    let listeners = log.showsFields ? mediator.listeners(answering: $0) : nil
                    log.write(LifecycleJournalRecords.record(of: $0, for: listeners, counter: counter))
                } : nil
    }

    private func write(_ all: [ListenerHealthReport]) {
        // Nothing has happened yet to one whose health is not known.
        let unhealthy = all.filter { !$0.health.isUnknown }
        let recovered = self.unhealthy.filter { old in !all.contains { $0.listener == old.listener } }
        for report in unhealthy where !self.unhealthy.contains(report) {
            log.write(LifecycleJournalRecords.record(of: report.health, of: report.listener))
        }
        for report in recovered where mediator.hasListener(named: report.listener) {
            log.write(LifecycleJournalRecords.record(of: .healthy, of: report.listener))
        }
        self.unhealthy = unhealthy
    }
}
