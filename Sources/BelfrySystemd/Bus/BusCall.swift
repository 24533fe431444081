// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import BelfryEventLoop

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

    /// Gives the call up: its answer is not heard. Calling it again does nothing.
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

    /// Ends the call with what became of it.
    func finish(_ result: Result<BusMessage, BusError>) {
        guard let completion else { return }
        self.completion = nil
        drop()
        bus?.forget(self)
        completion(result)
    }

    private func answer(_ message: BusMessage) {
        finish(message.error(of: attempt).map { .failure($0) } ?? .success(message))
    }

    private func drop() {
        sd_bus_slot_unref(slot)
        slot = nil
    }

    private nonisolated static let callback: sd_bus_message_handler_t = { message, userdata, _ in
        receive(BusCall.self, userdata, message) { $0.answer($1) }
    }
}
