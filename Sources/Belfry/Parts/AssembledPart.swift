// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryListeners

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
