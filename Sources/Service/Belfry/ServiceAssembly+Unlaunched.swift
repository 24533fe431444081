// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
package import BelfryEventLoop
internal import BelfryLinux
internal import BelfrySystemd
internal import Glibc
package import Lifecycle

/// Services that are assembled and not run: to check their configuration, and for tests.
extension ServiceAssembly {
    /// A service with a mediator of its own and nothing built in.
    func unlaunched(
        _ configuration: LifecycleConfiguration?, on loop: MainEventLoop, clock: any LifecycleClock,
        paths: RuntimePaths, descriptors: [(name: String, descriptor: Int32)] = [],
        onFailure: @escaping (any Error) -> Void
    ) -> BelfryService {
        let mediator = LifecycleMediator(
            clock: clock, configuration: configuration ?? LifecycleConfiguration(),
            readConfiguration: { [reader] in try reader.read(isDryRun: false) })
        return BelfryService(
            mediator: mediator, loop: loop,
            descriptors: ServiceDescriptors(descriptors, manager: ServiceManagerSocket(address: nil)), log: log,
            paths: paths, reader: reader, onFailure: onFailure)
    }
}

extension BelfryService {
    /// Assembles a service for a test. Its reloads read the files of `options` again.
    ///
    /// - Parameters:
    ///   - options: with the files of the configuration.
    ///   - loop: the loop of the service.
    ///   - clock: the clock of its mediator.
    ///   - directory: has the directories `run` and `state` for its files.
    ///   - descriptors: what the service manager would pass. They belong to the service from now on.
    ///   - onFailure: called by `fail(_:)`.
    ///   - compose: as for `ServiceMain.run`.
    /// - Throws: the errors of the configuration and of `compose`.
    package init(
        assembling options: ServiceOptions, on loop: MainEventLoop, clock: any LifecycleClock, directory: String,
        descriptors: [(name: String, descriptor: Int32)], onFailure: @escaping (any Error) -> Void,
        _ compose: (BelfryService) throws -> Void
    ) throws {
        let assembly = ServiceAssembly(options, with: [])
        let reader = assembly.reader
        let configuration = reader.begin()
        self = assembly.unlaunched(
            configuration, on: loop, clock: clock,
            paths: RuntimePaths(
                environment: [:], uid: geteuid(), runtimeDirectory: directory + "/run",
                stateDirectory: directory + "/state"),
            descriptors: descriptors, onFailure: onFailure)
        let disabled = configuration?[BelfrySettings.self]?.service.disabledListeners ?? []
        do {
            _ = try assembly.declare(compose, for: self, without: disabled)
        } catch {
            throw reader.refusal ?? error
        }
    }
}

/// `--check-config` and `--print-config`: `compose` is called to learn the settings of the service, which is not
/// launched.
extension ServiceAssembly {
    /// Prints diagnostics on standard error, and on standard output the settings, if they are asked for.
    ///
    /// - Returns: the exit code: 78 for an error in the configuration, 71 for one of `compose`.
    func check(_ compose: (BelfryService) throws -> Void) -> Int32 {
        let reading: ConfigurationReading
        do {
            reading = try readAndDeclare(reader.begin(), compose)
        } catch let refusal as ConfigurationRefusal {
            reading = refusal.reading
        } catch {
            StandardStreams.error("\(options.name): \(error)\n")
            return ServiceExit.system
        }
        let otherFiles = options.checkOtherFiles?({ FileAccount.ofUnit($0) }) ?? []
        let others = inaccessibleFiles(reading.loaded.files) + otherFiles
        for line in reading.reasons + others.map(\.description) { StandardStreams.error(line + "\n") }
        if reading.isRefused || others.contains(where: { $0.severity == .error }) { return ServiceExit.configuration }
        let isDone = options.action != .printConfiguration || StandardStreams.output(reading.printed)
        return isDone ? ServiceExit.success : ServiceExit.system
    }

    /// The files of the configuration that root can read and the service cannot.
    private func inaccessibleFiles(_ files: [String]) -> [ConfigurationDiagnostic] {
        guard options.configurationFiles == nil,
            let account = FileAccount.ofUnit("\(options.instanceName).service")
        else { return [] }
        return files.compactMap { file in
            account.problem(.read, file).map {
                ConfigurationDiagnostic(.error, at: ConfigurationPosition(file: file), $0)
            }
        }
    }

    /// Calls `compose` for a service that will not be launched.
    ///
    /// - Parameter configuration: what was read so far; nil if it has errors.
    /// - Throws: `ConfigurationRefusal` with all errors of the configuration; without one, an error of `compose`.
    func readAndDeclare(
        _ configuration: LifecycleConfiguration?, _ compose: (BelfryService) throws -> Void
    ) throws -> ConfigurationReading {
        do {
            let loop = try MainEventLoop()
            var failure: (any Error)?
            let service = unlaunched(
                configuration, on: loop, clock: EventLoopClock(loop),
                paths: RuntimePaths(options.directoryName, configuration?[BelfrySettings.self] ?? .defaults),
                onFailure: { failure = failure ?? $0 })
            let disabled = configuration?[BelfrySettings.self]?.service.disabledListeners ?? []
            let reading = try declare(compose, for: service, without: disabled)
            if let failure { throw failure }
            return reading
        } catch {
            throw reader.refusal ?? error
        }
    }
}
