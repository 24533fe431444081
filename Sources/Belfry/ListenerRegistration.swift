// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
public import Lifecycle

/// A listener that is part of the service because its file is: a constant in the linker section `belfry_listeners`.
///
///     @section("belfry_listeners") @used
///     let videoListener: ListenerRegistration.Record = {
///         ListenerRegistration.add("video") { service in VideoListener(service.mediator) }
///     }
///
/// `ServiceMain` adds such listeners after those of `compose`, by name; `[Service] DisabledListeners=` leaves them out.
/// The file must be linked in: of a static library the linker takes only what something refers to, so that the files
/// belong to the program's own target or to one whose code it uses in each of those files.
public struct ListenerRegistration {
    /// What is placed in the section. It calls `add` and does nothing else: the service does not exist yet.
    public typealias Record = @convention(c) () -> Void

    /// What configuration calls the listener; it should be the listener's own name.
    public let name: String
    let make: (ServiceContext) throws -> any LifecycleListener

    private static var found: [ListenerRegistration] = []

    /// Registers a listener.
    ///
    /// - Parameters:
    ///   - name: what configuration calls it.
    ///   - make: makes the listener, unless configuration leaves it out. What it throws ends the process with 71.
    public static func add(_ name: String, _ make: @escaping (ServiceContext) throws -> any LifecycleListener) {
        found.append(ListenerRegistration(name: name, make: make))
    }

    /// All that are linked into the program, by name, so that the order is not the linker's.
    static var all: [ListenerRegistration] {
        found = []
        belfry_call_listener_records()
        return found.sorted { $0.name < $1.name }
    }
}
