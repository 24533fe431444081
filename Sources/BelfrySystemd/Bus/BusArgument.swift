// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

/// A value that goes with a call.
package nonisolated enum BusArgument: Sendable, Equatable {
    /// `s`
    case string(String)
    /// `u`
    case uint32(UInt32)

    /// Appends it to a message. Returns 0 or -errno.
    func append(to message: OpaquePointer) -> Int32 {
        switch self {
        case .string(let text):
            return text.withCString { sd_bus_message_append_basic(message, BusType.string, $0) }
        case .uint32(var number):
            return sd_bus_message_append_basic(message, BusType.uint32, &number)
        }
    }
}
