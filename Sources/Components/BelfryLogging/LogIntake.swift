// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryEventLoop
internal import BelfryLinux
package import BelfryListeners
package import BelfrySystemd
internal import Glibc
internal import Synchronization

/// Takes records on any thread for the log of the service, which belongs to the main thread.
///
/// * *Order.* A record that was added before another one was added or written is written before it, because the log
///   writes what waits here before each record of its own.
/// * *Main thread.* A record that is added on the main thread is written before `add` returns. For a record of another
///   thread the main thread is woken. Nothing is written while the lock is held.
/// * *Limit.* Records beyond `RecordQueueLimit` are dropped and counted, and the log says how many.
/// * *Without a log*, before the service runs and after it has ended, a record is written to standard error by the
///   thread that adds it.
package nonisolated final class LogIntake: RecordSource {
    /// That of the service.
    package static let shared = LogIntake()

    private struct State {
        var hasLog = false
        var records: [JournalRecord] = []
        var bytes = 0
        var dropped = 0
        var level = LogPriority.info
        var format = RecordFormat.text
        var identifier: String?
        var mainThread: pthread_t?
    }

    /// What a thread that has added a record does next.
    private enum Next { case nothing, write, wake, writeDirectly(RecordFormat, identifier: String?) }

    private let state = Mutex(State())
    @MainActor private weak var log: ServiceLog?

    /// The least urgent level that is written.
    package var maximumLevel: LogPriority { state.withLock { $0.level } }

    /// Adds a record, unless it is less urgent than the level.
    package func add(_ record: JournalRecord) {
        switch state.withLock({ Self.add(record, to: &$0) }) {
        case .nothing: break
        case .write: MainActor.assumeIsolated { log?.writeWhatWaits() }
        case .wake: MainThreadExecutor.task { [self] in log?.writeWhatWaits() }
        case .writeDirectly(let format, let identifier):
            let name = identifier ?? ProcessIdentity.command(of: getpid()) ?? ""
            StandardStreams.error(format.line(record, identifier: name))
        }
    }

    private static func add(_ record: JournalRecord, to state: inout State) -> Next {
        guard record.priority <= state.level else { return .nothing }
        guard state.hasLog else { return .writeDirectly(state.format, identifier: state.identifier) }
        guard state.records.count < RecordQueueLimit.records, state.bytes + record.size <= RecordQueueLimit.bytes else {
            state.dropped += 1
            return state.dropped == 1 ? .wake : .nothing
        }
        state.records.append(record)
        state.bytes += record.size
        if pthread_self() == state.mainThread { return .write }
        return state.records.count == 1 ? .wake : .nothing
    }
}

/// For the log that is connected.
nonisolated extension LogIntake {
    /// See `RecordSource`.
    @MainActor package func connect(to log: ServiceLog, identifier name: String) {
        self.log = log
        state.withLock {
            $0.mainThread = pthread_self()
            $0.identifier = $0.identifier ?? name
            $0.hasLog = true
        }
    }

    /// See `RecordSource`.
    @MainActor package func use(_ level: LogPriority, _ format: RecordFormat) {
        state.withLock { ($0.level, $0.format) = (level, format) }
    }

    /// See `RecordSource`.
    @MainActor package func drain() -> (records: [JournalRecord], dropped: Int)? {
        let drained = state.withLock { Self.drain(from: &$0) }
        return drained.records.isEmpty && drained.dropped == 0 ? nil : drained
    }

    /// See `RecordSource`.
    @MainActor package func end() -> (records: [JournalRecord], dropped: Int) {
        log = nil
        return state.withLock {
            $0.hasLog = false
            return Self.drain(from: &$0)
        }
    }

    private static func drain(from state: inout State) -> (records: [JournalRecord], dropped: Int) {
        defer { (state.records, state.bytes, state.dropped) = ([], 0, 0) }
        return (state.records, state.dropped)
    }
}

extension ServiceComponent {
    /// The loggers of swift-log whose handler is `BelfryLogHandler` write to the log of the service.
    public nonisolated static var logging: ServiceComponent { ServiceComponent(LoggingComponent.self) }
}

/// Connects the handlers to the log, which ends the connection itself.
final class LoggingComponent: RunningComponent {
    static nonisolated let name = "logging"

    init(_ service: ComponentParameters) {
        service.log.receive(from: LogIntake.shared, identifier: service.options.instanceName)
    }
}
