// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
public import Lifecycle

/// A listener that registers itself by a constant in the linker section `belfry_listeners`.
///
///     @section("belfry_listeners") @used
///     let videoListener: ListenerRegistration.Record = {
///         ListenerRegistration.add("video") { service in VideoListener(service.mediator) }
///     }
///
/// `ServiceMain` adds such listeners after those of `compose`, by name; `[Service] DisabledListeners=` leaves them out.
/// The file must be linked: it belongs to the program's own target, or to another one of a package on which the program
/// depends. From a static library (`.a`) the linker takes only object files that other code refers to.
@MainActor public struct ListenerRegistration {
    /// The type of the constant. It calls `add` and nothing else: the service does not exist yet.
    public typealias Record = @convention(c) () -> Void

    /// The name in the configuration; it should be the listener's own name.
    let name: String
    let make: (BelfryService) throws -> any LifecycleListener

    /// Sorted by name.
    private static var found: [ListenerRegistration] = []

    /// Registers a listener.
    ///
    /// - Parameters:
    ///   - name: its name in the configuration.
    ///   - make: makes the listener, unless the configuration disables it. An error that it throws ends the process
    ///     with 71.
    public static func add(_ name: String, _ make: @escaping (BelfryService) throws -> any LifecycleListener) {
        let place = found.firstIndex { name < $0.name } ?? found.endIndex
        found.insert(ListenerRegistration(name: name, make: make), at: place)
    }

    /// All registered listeners, sorted by name.
    static var all: [ListenerRegistration] {
        found = []
        belfry_call_listener_records()
        return found
    }
}
