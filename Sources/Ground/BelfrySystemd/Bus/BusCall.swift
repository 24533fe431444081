// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import CBelfry

/// A call that waits for its answer.
@MainActor
package final class BusCall {
    let attempt: String
    private var slot: OpaquePointer?
    private var completion: ((Result<BusMessage, BusError>) -> Void)?
    private weak var bus: SystemBus?

    init(_ attempt: String, on bus: SystemBus, _ completion: @escaping (Result<BusMessage, BusError>) -> Void) {
        self.attempt = attempt
        self.bus = bus
        self.completion = completion
    }

    isolated deinit { drop() }

    /// Cancels the call: its answer is ignored. Calling it again does nothing.
    package func cancel() {
        completion = nil
        drop()
        bus?.forget(self)
    }

    /// Sends the message. Returns 0 or -errno.
    func send(_ message: OpaquePointer, over connection: OpaquePointer, timeout: Duration) -> Int32 {
        sd_bus_call_async(
            connection, &slot, message, Self.callback, Unmanaged.passUnretained(self).toOpaque(),
            max(timeout.microseconds, 1))
    }

    /// Ends the call with its result.
    func finish(_ result: Result<BusMessage, BusError>) {
        guard let completion else { return }
        self.completion = nil
        drop()
        bus?.forget(self)
        completion(result)
    }

    private func drop() {
        sd_bus_slot_unref(slot)
        slot = nil
    }

    private nonisolated static let callback: sd_bus_message_handler_t = { message, userdata, _ in
        receive(BusCall.self, userdata, message) { call, answer in
            call.finish(answer.error(of: call.attempt).map { .failure($0) } ?? .success(answer))
        }
    }
}

/// Receives a signal for as long as this object exists, over every connection that the bus makes.
///
/// Only broadcasts count: the bus verifies the sender of a broadcast, while anybody may send a signal of any name to
/// this process alone.
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

/// Calls `body` with the object of an sd-bus callback. sd-bus calls on the thread that runs the loop, which is the
/// main thread.
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
