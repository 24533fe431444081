// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A method of an object on the bus.
package nonisolated struct BusMethod: Sendable, Hashable, CustomStringConvertible {
    /// Whose it is: a well-known name.
    package let destination: String
    /// The object.
    package let path: String
    /// The interface.
    package let interface: String
    /// The method's name.
    package let member: String

    /// A method by its full name.
    package init(_ destination: String, _ path: String, _ interface: String, _ member: String) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
    }

    /// Interface and name.
    package var description: String { "\(interface).\(member)" }
}
