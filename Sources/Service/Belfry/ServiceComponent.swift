// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import BelfryEventLoop
package import BelfryListeners
package import BelfrySystemd
package import Lifecycle

/// An optional component of a service.
///
/// Each component is a library that adds a name here: `.socket` comes with `BelfrySocket`, `.cacheFlush` with
/// `BelfryCacheFlush`, `.logging` with `BelfryLogging`. A program that does not name a component does not link it.
public nonisolated struct ServiceComponent: Sendable {
    /// What the program calls it.
    let name: String
    /// Checks what the component uses of a configuration.
    let check: @Sendable (LoadedConfiguration, ServiceOptions, _ onDisk: Bool) -> LoadedConfiguration
    /// Adds the component's parameters to a configuration.
    let configure: @Sendable (BelfrySettings, inout LifecycleConfiguration) -> Void
    let make: @MainActor @Sendable (ComponentParameters) throws -> any RunningComponent

    /// A component that `make` creates when the service starts.
    ///
    /// - Parameters:
    ///   - check: adds what is wrong with the settings that the component uses, and may complete them. `onDisk` allows it to look
    ///     at the file system, which may block.
    ///   - parameters: what the component uses of the settings. Its listeners find the value by its type in the configuration,
    ///     at the launch and after each reload.
    package init<Parameters: Sendable>(
        _ name: String,
        check: @escaping @Sendable (LoadedConfiguration, ServiceOptions, _ onDisk: Bool) -> LoadedConfiguration = {
            loaded, _, _ in loaded
        },
        parameters: @escaping @Sendable (BelfrySettings) -> Parameters,
        make: @escaping @MainActor @Sendable (Parameters, ComponentParameters) throws -> any RunningComponent
    ) {
        self.name = name
        self.check = check
        configure = { $1[Parameters.self] = parameters($0) }
        self.make = { try make(parameters($0.settings), $0) }
    }

    /// A component for which the configuration has nothing.
    package init(
        _ name: String, make: @escaping @MainActor @Sendable (ComponentParameters) throws -> any RunningComponent
    ) {
        self.name = name
        check = { loaded, _, _ in loaded }
        configure = { _, _ in }
        self.make = make
    }
}

/// A component of a running service.
package protocol RunningComponent: AnyObject {
    /// The number of the last notification that the previous process handed to this component.
    var lastSequence: UInt64? { get }

    /// Whether the component stored the descriptors of this name in the service manager's descriptor store.
    func owns(descriptorNamed name: String) -> Bool

    /// Adds the listeners that come before the service's own in a launch, and after them in a stop.
    func addFirstListeners(_ service: ComponentContext) throws

    /// Adds the listeners that come after the service's own in a launch, and before them in a stop.
    func addLastListeners(_ service: ComponentContext) throws

    /// Called when the times of the unit become known or change.
    func unitTimeoutsChanged(_ timeouts: UnitTimeouts)

    /// Called when the loop has ended, before the process exits.
    func end()
}

extension RunningComponent {
    package var lastSequence: UInt64? { nil }
    package func owns(descriptorNamed name: String) -> Bool { false }
    package func addFirstListeners(_ service: ComponentContext) throws {}
    package func addLastListeners(_ service: ComponentContext) throws {}
    package func unitTimeoutsChanged(_ timeouts: UnitTimeouts) {}
    package func end() {}
}

/// What a component is created from, before the mediator exists.
package final class ComponentParameters {
    /// The options of `ServiceMain.run`.
    package let options: ServiceOptions
    /// The configuration; a component uses its own parameters instead.
    let settings: BelfrySettings
    /// Name and run of the service.
    package let identity: ServiceIdentity
    /// The log of the service.
    package let log: ServiceLog
    /// The connection to the service manager.
    package let manager: ServiceManagerSocket
    /// The descriptors that the service manager handed over.
    package let received: ListenDescriptors

    init(
        options: ServiceOptions, settings: BelfrySettings, identity: ServiceIdentity, log: ServiceLog,
        manager: ServiceManagerSocket, received: ListenDescriptors
    ) {
        self.options = options
        self.settings = settings
        self.identity = identity
        self.log = log
        self.manager = manager
        self.received = received
    }
}

/// What a component uses when it adds its listeners.
package struct ComponentContext {
    /// The loop of the main thread.
    package let loop: MainEventLoop
    /// The mediator of the service.
    package let mediator: LifecycleMediator
    /// The directories of the service.
    package let paths: RuntimePaths
    /// The id of the counter of notifications (`BELFRY_SEQUENCE_ID`).
    package let counter: String
    /// Why the service was started, and how the run before ended.
    package let describeRun: () -> UserInfo
    /// Reads the times of the unit again, and calls back when they are known.
    package let refreshTimeouts: (@escaping () -> Void) -> Void
}
