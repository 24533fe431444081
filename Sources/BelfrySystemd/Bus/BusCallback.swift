// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Hands a message to the object that a callback of sd-bus belongs to. sd-bus calls on the thread that runs the loop,
/// which is the main thread, so the main actor.
nonisolated func receive<Receiver: AnyObject & Sendable>(
    _: Receiver.Type, _ userdata: UnsafeMutableRawPointer?, _ message: OpaquePointer?,
    _ body: @MainActor (Receiver, BusMessage) -> Void
) -> Int32 {
    guard let userdata else { return 0 }
    let receiver = Unmanaged<Receiver>.fromOpaque(userdata).takeUnretainedValue()
    let address = UInt(bitPattern: message)
    MainActor.assumeIsolated {
        if let message = OpaquePointer(bitPattern: address) { body(receiver, BusMessage(message)) }
    }
    return 0
}
