// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import CBelfry
internal import Glibc
internal import Lifecycle

/// The entry point of a service, as `UIApplicationMain` is for an app.
public enum ServiceMain {
    /// Runs a service until it is stopped, and ends the process with its exit code.
    ///
    /// It blocks the signals before any thread can exist, reads the configuration, adds the built-in listeners around
    /// those of `compose`, launches the service, and runs the event loop on the main thread. Call it from a synchronous
    /// main, before anything that starts threads. An `async` main starts threads before the signals are blocked, and
    /// SIGTERM then ends the process at once.
    ///
    ///     ServiceMain.run(ServiceOptions(name: "videod"), with: [.socket]) { service in
    ///         try service.mediator.addListener(VideoListener())
    ///     }
    ///
    /// Exit codes: 0 after a stop in order; 70 when a part of the service failed (`BelfryService.fail(_:)`); 71 when
    /// the system or a listener refused the launch; 78 for a wrong configuration; 128 + n when the stop was cut short by signal n.
    ///
    /// - Parameters:
    ///   - options: the name of the service, and options that override its configuration.
    ///   - components: optional components: `.socket`, `.cacheFlush`.
    ///   - compose: adds the listeners. Any error that it throws is logged, and ends the process with 71.
    public static func run(
        _ options: ServiceOptions, with components: [ServiceComponent] = [],
        _ compose: (BelfryService) throws -> Void = { _ in }
    ) -> Never {
        let blocked = belfry_block_signals()
        let assembly = ServiceAssembly(options, with: components)
        do {
            try SystemError.check(blocked, verb: "block", object: "signals")
            exit(try assembly.run(compose))
        } catch {
            exit(assembly.fail(error))
        }
    }
}

/// Options of a service that override its configuration.
public nonisolated struct ServiceOptions: Sendable, Equatable {
    /// The name of the service: its identifier in the journal and on the socket.
    public var name: String
    /// Read only these files, where later ones override earlier ones; nil reads `belfry.conf` and its drop-ins by
    /// UAPI.6.
    public var configurationFiles: [String]?
    /// The path of the socket, which overrides configuration and environment; `@NAME` for an abstract address.
    public var socketPath: String?
    /// The least urgent level that is logged (`emerg` to `debug`), which overrides the configuration.
    public var logLevel: String?

    /// Options for a service of this name.
    public init(
        name: String, configurationFiles: [String]? = nil, socketPath: String? = nil, logLevel: String? = nil
    ) {
        self.name = name
        self.configurationFiles = configurationFiles
        self.socketPath = socketPath
        self.logLevel = logLevel
    }
}
