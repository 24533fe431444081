// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A method, signal or property of an object on the bus.
package nonisolated struct BusMember: Sendable, Hashable, CustomStringConvertible {
    /// `NameOwnerChanged` of the bus: a program gets or gives up the name in the first argument.
    package static let ownerChanged = BusMember(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged")

    /// The well-known name of the program.
    let service: String
    /// The object.
    let path: String
    /// The interface.
    let interface: String
    /// The name in the interface.
    let name: String

    /// A member by its full name.
    package init(_ service: String, _ path: String, _ interface: String, _ name: String) {
        self.service = service
        self.path = path
        self.interface = interface
        self.name = name
    }

    /// Interface and name.
    package var description: String { "\(interface).\(name)" }

    /// The match rule of the D-Bus specification for this signal, with this first argument unless that is nil.
    func rule(firstArgument: String? = nil) -> String {
        "type='signal',sender='\(service)',path='\(path)',interface='\(interface)',member='\(name)'"
            + (firstArgument.map { ",arg0='\($0)'" } ?? "")
    }
}
