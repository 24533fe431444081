// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

/// A question to somebody on the bus, and how the answer is read. `SystemBus.ask` asks it.
@MainActor
package struct BusQuestion<Answer> {
    /// Reads the answer.
    package typealias Reader = (BusMessage) throws(BusError) -> Answer

    private let method: BusMember
    private let arguments: [String]
    private let read: Reader

    /// Calls a method, whose arguments are all strings.
    package init(_ method: BusMember, _ arguments: [String] = [], _ read: @escaping Reader) {
        self.method = method
        self.arguments = arguments
        self.read = read
    }

    /// Reads a property of an object; `read` is given the value, outside of its variant.
    package init(property: BusMember, _ signature: String, _ read: @escaping Reader) {
        let get = BusMember(property.service, property.path, "org.freedesktop.DBus.Properties", "Get")
        self.init(get, [property.interface, property.name]) { message throws(BusError) in
            try message.container(BusType.variant, signature) { () throws(BusError) in try read(message) }
        }
    }

    /// What is tried, for errors.
    var attempt: String { "call '\(method)'" }

    /// Makes the message. Returns 0 or -errno.
    func message(on connection: OpaquePointer, _ message: inout OpaquePointer?) -> Int32 {
        var result = sd_bus_message_new_method_call(
            connection, &message, method.service, method.path, method.interface, method.name)
        for argument in arguments where result >= 0 {
            result = argument.withCString { sd_bus_message_append_basic(message, BusType.string, $0) }
        }
        return result
    }

    func answer(in reply: Result<BusMessage, BusError>) -> Result<Answer, BusError> {
        Result { () throws(BusError) in try read(try reply.get()) }
    }
}

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
