// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

/// Listens for a signal for as long as it is kept, over every connection that the bus makes.
///
/// Only what was sent to everyone counts: the bus vouches for the sender of such a signal, while anybody may send one
/// of any name to us alone.
@MainActor
package final class BusMatch {
    let rule: String
    private let handler: (BusMessage) -> Void
    private var slot: OpaquePointer?

    init(_ rule: String, _ handler: @escaping (BusMessage) -> Void) {
        self.rule = rule
        self.handler = handler
    }

    isolated deinit { uninstall() }

    /// Asks the bus for the signal. Returns 0 or -errno.
    func install(on connection: OpaquePointer) -> Int32 {
        uninstall()
        return sd_bus_add_match_async(
            connection, &slot, rule, Self.callback, nil, Unmanaged.passUnretained(self).toOpaque())
    }

    func uninstall() {
        sd_bus_slot_unref(slot)
        slot = nil
    }

    private nonisolated static let callback: sd_bus_message_handler_t = { message, userdata, _ in
        receive(BusMatch.self, userdata, message) { match, signal in
            if signal.isBroadcast { match.handler(signal) }
        }
    }
}
