// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// The entry point of a service, as `UIApplicationMain` is for an app.
@MainActor public enum ServiceMain {
    /// Runs a service until it is stopped, and ends the process with its exit code.
    ///
    /// It opens `/dev/null` for those of the descriptors 0 to 2 that are closed, so that no file of the service gets
    /// their numbers. It blocks the signals before any thread can exist, reads the configuration, adds the built-in
    /// listeners around those of `compose`, launches the service, and runs the event loop on the main thread. Call it
    /// from a synchronous main, before anything that starts threads. It refuses to run from an `async` main: that
    /// starts threads before the signals are blocked, and SIGTERM would then end the process at once.
    ///
    ///     ServiceMain.run(ServiceOptions(name: "videod"), with: [.socket]) { service in
    ///         try service.mediator.addListener(VideoListener())
    ///     }
    ///
    /// Exit codes: 0 after a stop in order, or `LateStopExitStatus=` if a listener missed its deadline; 70 when a part
    /// of the service failed (`BelfryService.fail(_:)`), whatever follows; 71 when the system refused something, the
    /// launch was refused, or main is `async`; 78 for a wrong configuration; 128 + n when the stop was cut short by
    /// signal n.
    ///
    /// - Parameters:
    ///   - options: the name of the service, and options that override its configuration.
    ///   - components: optional components: `.socket`, `.cacheFlush`, `.logging`.
    ///   - compose: declares the settings of the service and adds the listeners. It should do no more: it is also
    ///     called to check or print the configuration, and then the service is not launched. Any error that it throws
    ///     is logged, and ends the process with 71.
    public static func run(
        _ options: ServiceOptions, with components: [ServiceComponent] = [],
        _ compose: (BelfryService) throws -> Void = { _ in }
    ) -> Never {
        let streams = Result { () throws(SystemError) in try StandardStreams.openMissing() }
        guard options.action == .run else { exit(ServiceAssembly(options, with: components).check(compose)) }
        let blocked = belfry_block_signals()
        let assembly = ServiceAssembly(options, with: components)
        do {
            if withUnsafeCurrentTask(body: { $0 != nil }) { throw AsynchronousMain() }
            try streams.get()
            try SystemError.check(blocked, verb: "block", object: "signals")
            exit(try assembly.run(compose))
        } catch {
            exit(assembly.fail(error))
        }
    }

    /// Only says what to write instead.
    @available(
        *, unavailable, message: "compose is synchronous: begin asynchronous work in willFinishLaunching of a listener"
    )
    public static func run(
        _ options: ServiceOptions, with components: [ServiceComponent] = [],
        _ compose: (BelfryService) async throws -> Void
    ) -> Never { fatalError() }  // the compiler refuses each call
}

/// `ServiceMain.run` was called in a task.
private nonisolated struct AsynchronousMain: Error, CustomStringConvertible {
    let description = """
        unable to run the service from an async main, whose threads do not block the signals: write \
        'static func main()' without 'async', or no 'await' at the top level of main.swift, and begin asynchronous \
        work in a listener
        """
}
