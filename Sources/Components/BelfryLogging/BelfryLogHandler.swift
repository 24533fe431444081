// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import BelfrySystemd
internal import CBelfry
internal import Glibc
public import Logging

/// Writes what swift-log's loggers log to the log of the service, with the same target, level and format as Belfry's
/// own records: `[Logger]` in the configuration, and systemd's control signal, apply to all of them.
///
///     LoggingSystem.bootstrap(BelfryLogHandler.init)
///     ServiceMain.run(ServiceOptions(name: "videod"), with: [.logging]) { service in … }
///
/// * *Level.* A logger has the level of the service. If the program sets `logLevel` of a logger, records must pass that
///   level as well, so it can make a logger only quieter. The level `debug` of the service includes `trace`, because
///   syslog(3) has no such level.
/// * *Fields.* In the journal, and with `Format=json` on standard error, metadata and errors are fields. The
///   documentation of Belfry has the names. As text, metadata follows the message as `key=value`.
/// * *Threads.* Loggers may be used on any thread and never block a service that runs. A record of the main thread is
///   written before the call returns. Records of other threads are written by the main thread as soon as it can: those
///   that were logged right before a crash may be missing.
/// * *Order.* If a call returned before another one began, its record comes first. This includes Belfry's own records.
/// * *Limits.* 4096 records or 8 MiB may wait for the main thread, and as many for a log target that does not read.
///   Further records are dropped and counted, and a warning in the log says how many.
/// * *Outside of `ServiceMain.run`*, before it has read the configuration and after the loop has ended, and always
///   without the component `.logging`, records are lines on standard error. Such a call may block.
public nonisolated struct BelfryLogHandler: LogHandler {
    private let label: String
    private let intake: LogIntake
    /// The level that the program set.
    private var ownLevel: Logger.Level?

    /// The metadata of all records of this logger.
    public var metadata: Logger.Metadata = [:]
    /// Adds to the metadata of each record.
    public var metadataProvider: Logger.MetadataProvider?

    /// A handler with the metadata provider of `LoggingSystem`.
    ///
    /// - Parameter label: what the logger is called: the field `LOGGER`.
    public init(label: String) { self.init(label: label, metadataProvider: LoggingSystem.metadataProvider) }

    /// A handler with a metadata provider of its own.
    public init(label: String, metadataProvider: Logger.MetadataProvider?) {
        self.init(label: label, metadataProvider: metadataProvider, intake: .shared)
    }

    /// A handler that writes elsewhere.
    package init(label: String, metadataProvider: Logger.MetadataProvider? = nil, intake: LogIntake) {
        self.label = label
        self.metadataProvider = metadataProvider
        self.intake = intake
    }

    /// The level that the program set, otherwise that of the service.
    public var logLevel: Logger.Level {
        get { ownLevel ?? Logger.Level(including: intake.maximumLevel) }
        set { ownLevel = newValue }
    }

    /// A value of the logger's metadata.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Adds the record to the log. Called by `Logger`.
    public func log(event: LogEvent) {
        let priority = event.level.priority
        guard priority <= intake.maximumLevel else { return }
        var fields: JournalFields = ["LOGGER": label]
        fields.add("CODE_FILE", event.file)
        fields.add("CODE_LINE", UInt64(event.line))
        fields.add("CODE_FUNC", event.function)
        var suffix: RecordText = " logger=\(label.asLogWord)"
        if let error = event.error {
            let text = String(describing: error)
            fields.add("ERROR", text.asFieldValue)
            fields.add("ERROR_TYPE", String(reflecting: type(of: error)))
            if let error = error as? SystemError { fields.add("ERRNO", Int64(error.code)) }
            suffix = suffix + " error=\(text.asLogWord)"
        }
        let metadata = MetadataFields(allMetadata(of: event))
        fields.add(metadata.fields)
        var record = JournalRecord(
            priority, RecordText(lines: event.message.description), id: metadata.messageID, fields: fields)
        record.textSuffix = suffix + metadata.text
        record.realtimeUsec = belfry_clock_usec(CLOCK_REALTIME)
        intake.add(record)
    }

    /// As in swift-log's own handlers: the provider overrides the logger, and the call overrides both.
    private func allMetadata(of event: LogEvent) -> Logger.Metadata {
        var all = metadata
        if let metadataProvider { all.merge(metadataProvider.get()) { $1 } }
        if let metadata = event.metadata { all.merge(metadata) { $1 } }
        return all
    }
}

nonisolated extension Logger.Level {
    /// The level of syslog(3).
    var priority: LogPriority {
        switch self {
        case .trace, .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }

    /// The least urgent level that is written if records up to `priority` are.
    init(including priority: LogPriority) {
        self =
            switch priority {
            case .emergency, .alert, .critical: .critical
            case .error: .error
            case .warning: .warning
            case .notice: .notice
            case .info: .info
            case .debug: .trace
            }
    }
}
