// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
package import BelfryEventLoop
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
