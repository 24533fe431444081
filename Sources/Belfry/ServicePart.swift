// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import BelfryEventLoop
package import BelfryListeners
package import BelfrySystemd
package import Lifecycle

/// What a service can have beyond the mediator, its sources, the logger and the service manager.
///
/// Each part is a library of its own, which gives it a name here: `.socket` comes with `BelfrySocket`, `.cacheFlush`
/// with `BelfryCacheFlush`. A program that does not name a part does not link it.
public nonisolated struct ServicePart: Sendable {
    /// What the program calls it.
    let name: String
    let make: @MainActor @Sendable (PartFoundation) throws -> any AssembledPart

    /// A part that is made by `make` when the service begins.
    package init(_ name: String, _ make: @escaping @MainActor @Sendable (PartFoundation) throws -> any AssembledPart) {
        self.name = name
        self.make = make
    }
}

/// A part of a service that runs.
package protocol AssembledPart: AnyObject {
    /// The number of the last notification that an earlier process left with this part.
    var lastSequence: UInt64? { get }

    /// Whether the part stored what has this name in the service manager's descriptor store: nobody else is told of it.
    func owns(descriptorNamed name: String) -> Bool

    /// Adds what hears of a launch before the service's own listeners, and of a stop after them.
    func addFirstListeners(_ service: PartSurroundings) throws

    /// Adds what hears of a launch after the service's own listeners, and of a stop before them.
    func addLastListeners(_ service: PartSurroundings) throws

    /// The times of the unit are known, or have changed.
    func take(_ timeouts: UnitTimeouts)

    /// The loop has ended, and the process is about to.
    func end()
}

extension AssembledPart {
    package var lastSequence: UInt64? { nil }
    package func owns(descriptorNamed name: String) -> Bool { false }
    package func addFirstListeners(_ service: PartSurroundings) throws {}
    package func addLastListeners(_ service: PartSurroundings) throws {}
    package func take(_ timeouts: UnitTimeouts) {}
    package func end() {}
}

/// What is known of a service before there is a mediator.
package struct PartFoundation {
    /// What the program asked for.
    package let options: ServiceOptions
    /// What is configured.
    package let settings: BelfrySettings
    /// Who the service is.
    package let identity: ServiceIdentity
    /// Where it logs.
    package let log: ServiceLog
    /// How the service speaks to the service manager.
    package let manager: ServiceManagerSocket
}

/// What a part finds when it joins the service.
package struct PartSurroundings {
    /// The loop of the main thread.
    package let loop: MainEventLoop
    /// Whom its listeners join.
    package let mediator: LifecycleMediator
    /// Where the service keeps things.
    package let paths: RuntimePaths
    /// What numbers its notifications, as their records in the journal say (`BELFRY_SEQUENCE_ID`).
    package let counter: String
    /// Why the service was started, and how its last run ended.
    package let describeRun: () -> UserInfo
    /// Reads the times of the unit anew, and calls back when they are known.
    package let refreshTimeouts: (@escaping () -> Void) -> Void
}
