// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

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
