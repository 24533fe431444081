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
            try message.variant(signature) { () throws(BusError) in try read(message) }
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
