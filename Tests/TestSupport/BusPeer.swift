// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// Another program on the bus, on the loop of the test: it owns a name, sends signals and answers calls.
@MainActor
public final class BusPeer {
    /// Writes the arguments of a message, an `sd_bus_message`.
    public typealias Writer = (OpaquePointer) -> Void

    private var connection: OpaquePointer?
    private var answers: [String: Writer] = [:]
    private var refusals: [String: String] = [:]
    /// The names of the methods that were called, in order.
    public private(set) var calls: [String] = []

    /// Connects, and owns `name`.
    public init(_ name: String, at address: String, on loop: MainEventLoop) throws {
        func check(_ result: Int32) throws { try SystemError.check(result, verb: "use", object: address) }
        try check(sd_bus_new(&connection))
        try check(sd_bus_set_address(connection, address))
        try check(sd_bus_set_bus_client(connection, 1))
        try check(sd_bus_start(connection))
        try check(sd_bus_request_name(connection, name, 0))
        let userdata = Unmanaged.passUnretained(self).toOpaque()
        try check(sd_bus_add_filter(connection, nil, Self.filter, userdata))
        try check(sd_bus_attach_event(connection, loop.event, 0))
    }

    isolated deinit { sd_bus_flush_close_unref(connection) }

    /// Answers calls of this method; other calls get an error.
    public func answer(_ member: String, _ write: @escaping Writer) { answers[member] = write }

    /// Answers calls of this method of one object.
    public func answer(_ member: String, at path: String, _ write: @escaping Writer) {
        answers["\(member) \(path)"] = write
    }

    /// Refuses calls of this method with the error of this name from now on, or with nil none any more.
    public func refuse(_ member: String, with error: String?) { refusals[member] = error }

    /// Answers `Get` for this property with a value of the type `signature`.
    public func answer(property: String, _ signature: String, _ write: @escaping Writer) {
        answers["Get \(property)"] = { reply in
            BusWriting.container("v", signature, to: reply) { write(reply) }
        }
    }

    /// Sends a signal to all subscribers, or to one connection.
    public func emit(
        _ path: String, _ interface: String, _ member: String, to destination: String? = nil, _ write: Writer = { _ in }
    ) {
        var message: OpaquePointer?
        sd_bus_message_new_signal(connection, &message, path, interface, member)
        defer { sd_bus_message_unref(message) }
        guard let message else { return }
        write(message)
        sd_bus_send_to(connection, message, destination, nil)
    }

    private func receive(_ call: OpaquePointer) -> Int32 {
        var type: UInt8 = 0
        guard sd_bus_message_get_type(call, &type) >= 0, type == 1 else { return 0 }
        let member = String(cString: sd_bus_message_get_member(call))
        calls.append(member)
        if let name = refusals[member] {
            name.withCString { name in
                var error = sd_bus_error(name: name, message: nil, _need_free: 0)
                sd_bus_reply_method_error(call, &error)
            }
            return 1
        }
        let path = String(cString: sd_bus_message_get_path(call))
        guard
            let write = Self.property(of: call).flatMap({ answers["Get \($0)"] }) ?? answers["\(member) \(path)"]
                ?? answers[member]
        else { return 0 }
        var reply: OpaquePointer?
        sd_bus_message_new_method_return(call, &reply)
        defer { sd_bus_message_unref(reply) }
        if let reply { write(reply) }
        sd_bus_send(connection, reply, nil)
        return 1
    }

    /// The property that a call of `Get` names.
    private static func property(of call: OpaquePointer) -> String? {
        guard sd_bus_message_is_method_call(call, "org.freedesktop.DBus.Properties", "Get") > 0 else { return nil }
        var name: UnsafePointer<CChar>?
        sd_bus_message_skip(call, "s")
        sd_bus_message_read_basic(call, CChar(UInt8(ascii: "s")), &name)
        return name.map { String(cString: $0) }
    }

    private nonisolated static let filter: sd_bus_message_handler_t = { message, userdata, _ in
        guard let message, let userdata else { return 0 }
        let peer = Unmanaged<BusPeer>.fromOpaque(userdata).takeUnretainedValue()
        let address = UInt(bitPattern: message)
        return MainActor.assumeIsolated { OpaquePointer(bitPattern: address).map { peer.receive($0) } ?? 0 }
    }
}

/// Writes values into messages that the tests send.
public enum BusWriting {
    /// A string, or with another type code an object path.
    public static func text(_ text: String, _ type: Unicode.Scalar = "s", to message: OpaquePointer) {
        _ = text.withCString { sd_bus_message_append_basic(message, CChar(type.value), $0) }
    }

    /// A number of the size that the type code names.
    public static func number<Number: FixedWidthInteger>(
        _ number: Number, _ type: Unicode.Scalar, to message: OpaquePointer
    ) {
        var number = number
        sd_bus_message_append_basic(message, CChar(type.value), &number)
    }

    /// A container: `a` array, `r` structure, `v` variant, `e` entry of a dictionary.
    public static func container(
        _ type: Unicode.Scalar, _ contents: String, to message: OpaquePointer, _ body: () -> Void
    ) {
        sd_bus_message_open_container(message, CChar(type.value), contents)
        body()
        sd_bus_message_close_container(message)
    }
}
