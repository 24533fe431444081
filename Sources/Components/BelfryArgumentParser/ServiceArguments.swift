// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import ArgumentParser
public import Belfry

/// The command-line options that every service has, for a service with arguments of its own.
///
///     struct Thumbd: ParsableArguments {
///         @OptionGroup var service: ServiceArguments
///         @Option var threads = 4
///     }
///
///     let arguments = Thumbd.parseOrExit()
///     ServiceMain.run(ServiceOptions(name: "thumbd", version: "1.4", arguments.service)) { service in … }
///
/// Parse them in a synchronous main, before anything starts threads.
public struct ServiceArguments: ParsableArguments, Sendable {
    enum Mode: EnumerableFlag {
        case checkConfig, printConfig, recordExit

        static func help(for value: Mode) -> ArgumentHelp? {
            switch value {
            case .checkConfig: "Check the configuration, print all problems, and exit."
            case .printConfig: "Print the settings in effect and where each was set, and exit."
            case .recordExit: "For ExecStopPost=: record how the service ended, for the next launch."
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "Run as this instance, with configuration files and directories of its own.", valueName: "name"),
        transform: Self.instance)
    var instance: String?

    @Option(
        help: ArgumentHelp(
            "Read only this file; may be repeated, later files override earlier ones.", valueName: "file"),
        completion: .file())
    var config: [String] = []

    @Option(
        help: ArgumentHelp("Listen on this socket; '@NAME' is an abstract address.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp("Log no levels less urgent than this one, emerg to debug.", valueName: "level"),
        transform: Self.level)
    var logLevel: String?

    @Flag(exclusivity: .chooseLast)
    var mode: Mode?

    @Option(
        help: ArgumentHelp(
            "With --check-config: also check this unit, as systemd has loaded it, against the configuration.",
            valueName: "unit"),
        transform: Self.unit)
    var unit: String?

    /// For ArgumentParser.
    public init() {}

    /// Checks the options together.
    ///
    /// - Throws: `ValidationError` for `--unit` without `--check-config`.
    public func validate() throws {
        do {
            try line.validate()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    var line: ServiceCommandLine {
        var line = ServiceCommandLine()
        line.instance = instance
        line.configurationFiles = config
        line.socketPath = socket
        line.logLevel = logLevel
        line.unit = unit
        line.mode =
            switch mode {
            case nil: .run
            case .checkConfig: .checkConfiguration
            case .printConfig: .printConfiguration
            case .recordExit: .recordExit
            }
        return line
    }

    private static func level(_ text: String) throws -> String {
        try checked(text, ServiceCommandLine.level)
    }

    private static func instance(_ text: String) throws -> String {
        try checked(text, ServiceCommandLine.instance)
    }

    private static func unit(_ text: String) throws -> String { try checked(text, ServiceCommandLine.unit) }

    private static func checked(_ text: String, _ check: (String) throws(UsageError) -> String) throws -> String {
        do {
            return try check(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}

extension ServiceOptions {
    /// Options from parsed arguments. `--record-exit` does its work here and ends the process.
    ///
    /// - Parameters:
    ///   - name: the name of the service.
    ///   - version: the version of the service, which clients see. `--version` is that of `CommandConfiguration`.
    ///   - arguments: the parsed options.
    @MainActor public init(name: String, version: String? = nil, _ arguments: ServiceArguments) {
        self.init(name: name, fileName: name, version: version, arguments.line)
    }
}
