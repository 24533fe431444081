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
    let type: any RunningComponent.Type

    /// A component that is created when the service starts.
    package init(_ type: any RunningComponent.Type) { self.type = type }
}

/// A component of a running service.
package protocol RunningComponent: AnyObject, SendableMetatype {
    /// What the program calls it.
    nonisolated static var name: String { get }

    /// Adds what is wrong with the settings that the component uses, and may complete them.
    nonisolated static func check(_ loaded: LoadedConfiguration, _ options: ServiceOptions) -> LoadedConfiguration

    /// Creates the component when the service starts.
    init(_ service: ComponentParameters) throws

    /// The number of the last notification that the previous process handed to this component.
    var lastSequence: UInt64? { get }

    /// Whether the component stored the descriptors of this name in the service manager's descriptor store.
    func owns(descriptorNamed name: String) -> Bool

    /// Adds the listeners that come before the service's own in a launch, and after them in a stop.
    func addFirstListeners(_ service: ComponentContext) throws

    /// Adds the listeners that come after the service's own in a launch, and before them in a stop.
    func addLastListeners(_ service: ComponentContext) throws

    /// Called when the loop has ended, before the process exits.
    func end()
}

extension RunningComponent {
    package nonisolated static func check(
        _ loaded: LoadedConfiguration, _ options: ServiceOptions
    ) -> LoadedConfiguration { loaded }
    package var lastSequence: UInt64? { nil }
    package func owns(descriptorNamed name: String) -> Bool { false }
    package func addFirstListeners(_ service: ComponentContext) throws {}
    package func addLastListeners(_ service: ComponentContext) throws {}
    package func end() {}
}

/// What a component is created from, before the mediator exists.
package struct ComponentParameters {
    /// The options of `ServiceMain.run`.
    package let options: ServiceOptions
    /// The configuration.
    package let configuration: LifecycleConfiguration
    /// Name and run of the service.
    package let identity: ServiceIdentity
    /// The log of the service.
    package let log: ServiceLog
    /// The connection to the service manager.
    package let manager: ServiceManagerSocket
    /// The descriptors that the service manager handed over.
    package let received: ListenDescriptors
}

/// What a component uses when it adds its listeners.
package struct ComponentContext {
    /// The loop of the main thread.
    package let loop: MainEventLoop
    /// The mediator of the service.
    package let mediator: LifecycleMediator
    /// The bus of the manager that has the unit of the service.
    package let unitBus: SystemBus
    /// The directories of the service.
    package let paths: RuntimePaths
    /// Whether this process has the lock of the service, without which it keeps nothing.
    package let isLocked: Bool
    /// Why the service was started, and how the run before ended.
    package let describeRun: () -> UserInfo
    /// The times of the unit.
    package let budget: UnitBudget
    /// Why a notification may not come, or not in time; nil if nothing is missing that reports it.
    package let problem: (LifecycleNotification.Name) -> String?
}
