// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// A message from the bus, read from front to back. A value that does not have the requested type throws and is not
/// read (sd_bus_message_read_basic(3)).
@MainActor
package final class BusMessage {
    private let pointer: OpaquePointer

    /// Keeps an `sd_bus_message`, sealed and at its beginning.
    package init(_ pointer: OpaquePointer) { self.pointer = sd_bus_message_ref(pointer) }

    isolated deinit { sd_bus_message_unref(pointer) }

    /// A string or an object path.
    package func text() throws(BusError) -> String {
        var type: CChar = 0
        try check(read: sd_bus_message_peek_type(pointer, &type, nil))
        if type != BusType.objectPath { type = BusType.string }
        var value: UnsafePointer<CChar>?
        try check(read: sd_bus_message_read_basic(pointer, type, &value))
        return value.map { String(cString: $0) } ?? ""
    }

    /// A boolean.
    package func boolean() throws(BusError) -> Bool {
        var value: Int32 = 0
        try check(read: sd_bus_message_read_basic(pointer, BusType.boolean, &value))
        return value != 0
    }

    /// A number of 32 bits.
    func uint32() throws(BusError) -> UInt32 { try basic(BusType.uint32, UInt32()) }

    /// A number of 64 bits.
    func uint64() throws(BusError) -> UInt64 { try basic(BusType.uint64, UInt64()) }

    /// A descriptor that is the caller's to close.
    package func descriptor() throws(BusError) -> Int32 {
        let copy = fcntl(try basic(BusType.descriptor, Int32()), F_DUPFD_CLOEXEC, 3)
        if copy < 0 { throw BusError(attempt, errno) }
        return copy
    }

    /// An array whose elements have the signature `contents`; `element` reads one.
    package func array<Element>(
        of contents: String, _ element: () throws(BusError) -> Element
    ) throws(BusError) -> [Element] {
        try container(BusType.array, contents) { () throws(BusError) in
            var elements: [Element] = []
            while sd_bus_message_at_end(pointer, 0) == 0 { elements.append(try element()) }
            return elements
        }
    }

    /// A dictionary `a{sv}`.
    func dictionary() throws(BusError) -> [String: BusValue] {
        var values: [String: BusValue] = [:]
        _ = try array(of: "{sv}") { () throws(BusError) in
            try container(BusType.dictionaryEntry, "sv") { () throws(BusError) in
                values[try text()] = try value()
            }
        }
        return values
    }

    /// The next value, whatever its type; nil at the end of a container. Types that no caller needs are empty lists.
    func value() throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        try check(sd_bus_message_peek_type(pointer, &type, &contents))
        switch type {
        case 0: return nil
        case BusType.string, BusType.objectPath: return .text(try text())
        case BusType.byte: return .number(Int64(try basic(type, UInt8())))
        case BusType.boolean: return .boolean(try boolean())
        case BusType.int32: return .number(Int64(try basic(type, Int32())))
        case BusType.uint32: return .number(Int64(try uint32()))
        case BusType.uint64: return .number(Int64(clamping: try uint64()))
        case BusType.array, BusType.structure, BusType.variant, BusType.dictionaryEntry:
            var values: [BusValue] = []
            _ = try container(type, contents.map { String(cString: $0) } ?? "") { () throws(BusError) in
                while let value = try value() { values.append(value) }
            }
            return type == BusType.variant ? values.first : .list(values)
        default:
            try check(sd_bus_message_skip(pointer, nil))
            return .list([])
        }
    }

    /// Whether it was sent to everyone that asked for its kind, and not to us alone.
    var isBroadcast: Bool { sd_bus_message_get_destination(pointer) == nil }

    /// The error that it is; nil for any other message.
    func error(of attempt: String) -> BusError? {
        guard sd_bus_message_is_method_error(pointer, nil) > 0, let error = sd_bus_message_get_error(pointer) else {
            return nil
        }
        let message = error.pointee.message.map { String(cString: $0) }
        return BusError(attempt, name: String(cString: error.pointee.name), message: message)
    }

    /// A container that holds values of the signature `contents`, without brackets; `body` reads all of it.
    func container<Value>(
        _ type: CChar, _ contents: String, _ body: () throws(BusError) -> Value
    ) throws(BusError) -> Value {
        try check(read: sd_bus_message_enter_container(pointer, type, contents))
        let value = try body()
        try check(sd_bus_message_exit_container(pointer))
        return value
    }

    private func basic<Value>(_ type: CChar, _ zero: Value) throws(BusError) -> Value {
        var value = zero
        let result = withUnsafeMutableBytes(of: &value) { sd_bus_message_read_basic(pointer, type, $0.baseAddress) }
        try check(read: result)
        return value
    }

    private func check(_ result: Int32) throws(BusError) {
        if result < 0 { throw BusError(attempt, result) }
    }

    /// At the end of a container sd-bus reads nothing, and answers 0.
    private func check(read result: Int32) throws(BusError) { try check(result == 0 ? -ENXIO : result) }

    private var attempt: String {
        let member = sd_bus_message_get_member(pointer).map { String(cString: $0) } ?? "reply"
        return "read '\(member)'"
    }
}

/// The type codes of the D-Bus specification that are used here.
nonisolated enum BusType {
    static let byte = code("y")
    static let boolean = code("b")
    static let int32 = code("i")
    static let uint32 = code("u")
    static let uint64 = code("t")
    static let string = code("s")
    static let objectPath = code("o")
    static let descriptor = code("h")
    static let array = code("a")
    static let variant = code("v")
    static let structure = code("r")
    static let dictionaryEntry = code("e")

    private static func code(_ letter: Unicode.Scalar) -> CChar { CChar(letter.value) }
}

/// Why a call failed: the answer was an error, or there was none.
package nonisolated struct BusError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was attempted, an infinitive with its object: `call 'org.freedesktop.DBus.GetId'`.
    package let attempt: String
    /// The error's name on the bus, such as `org.freedesktop.DBus.Error.AccessDenied`; nil when it never got that far.
    package let name: String?
    /// What it means, for people.
    package let message: String

    /// There is no connection at the moment.
    static func notConnected(_ attempt: String) -> Self { Self(attempt, -ENOTCONN) }

    /// The connection could not do it.
    init(_ attempt: String, _ code: Int32) {
        self.attempt = attempt
        name = nil
        message = SystemError(code, verb: "", object: "").reason
    }

    /// The other side refused.
    init(_ attempt: String, name: String? = nil, message: String?) {
        self.attempt = attempt
        self.name = name
        self.message = message ?? "refused"
    }

    /// `unable to call 'X': access denied (org.freedesktop.DBus.Error.AccessDenied)`
    package var description: String { "unable to \(attempt): \(message)\(name.map { " (\($0))" } ?? "")" }

    /// Whether somebody was too busy, so that the same call may succeed later.
    package var isTemporary: Bool {
        ["LimitsExceeded", "NoReply", "Timeout", "TimedOut"].contains { name == "org.freedesktop.DBus.Error.\($0)" }
    }
}
