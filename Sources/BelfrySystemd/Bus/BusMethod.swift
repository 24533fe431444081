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

/// A signal of an object on the bus.
package nonisolated struct BusSignal: Sendable, Hashable {
    /// Whose it is: a well-known name.
    package let sender: String
    /// The object.
    package let path: String
    /// The interface.
    package let interface: String
    /// The signal's name.
    package let member: String
    /// What its first argument must be, if that matters.
    let firstArgument: String?

    /// A signal by its full name.
    package init(
        _ sender: String, _ path: String, _ interface: String, _ member: String, firstArgument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.firstArgument = firstArgument
    }

    /// Somebody takes or gives up a name.
    package static func ownerChanged(of name: String) -> Self {
        Self(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
            firstArgument: name)
    }

    /// The match rule of the D-Bus specification.
    var rule: String {
        "type='signal',sender='\(sender)',path='\(path)',interface='\(interface)',member='\(member)'"
            + (firstArgument.map { ",arg0='\($0)'" } ?? "")
    }
}
