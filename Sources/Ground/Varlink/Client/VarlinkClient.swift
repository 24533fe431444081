// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
internal import CBelfry

/// Calls the methods of a service (UAPI.20), on the main thread's loop.
///
/// You can make several calls without waiting for replies, which come in the order of the calls. While a call with
/// `more` is being answered, later calls wait, so use another client for a subscription. Closing the client ends all
/// calls.
@MainActor  // see MainEventLoop
package final class VarlinkClient {
    private let connection: ClientConnection

    /// The default for the longest reply that is accepted, in bytes. It is more than a service accepts
    /// (`VarlinkLimits.messageSize`), since a reply may contain what a client sent, in a longer form.
    package nonisolated static let longestReply = 256 << 20

    /// Connects to a path, or to `@` and the name of an abstract socket.
    ///
    /// - Parameters:
    ///   - path: where the service listens.
    ///   - loop: the loop of the main thread.
    ///   - longestReply: how long a reply may be, in bytes without the NUL. A longer reply closes the connection with
    ///     `VarlinkError.protocolViolation`.
    /// - Throws: `VarlinkError.system` when the service cannot be reached.
    package init(
        _ path: String, on loop: MainEventLoop, longestReply: Int = VarlinkClient.longestReply
    ) throws(VarlinkError) {
        do throws(SystemError) {
            let writer = try TurnWriter(on: loop)
            let descriptor = try SystemError.check(belfry_unix_connect(path), verb: "connect to", object: path)
            connection = ClientConnection(descriptor, frameLimit: longestReply, writer: writer)
            belfry_mark_varlink_socket(descriptor, "client")
            try FrameStream.makeNonblocking(descriptor, verb: "use")
            belfry_refuse_descriptors(descriptor)
            try connection.start()
        } catch {
            throw .system(error)
        }
    }

    isolated deinit { close() }

    /// Whether the connection is over.
    package var isClosed: Bool { connection.isClosed }

    /// Called once when the connection ends, with the reason; `VarlinkError.closed` if either side closed it.
    package var onClose: ((VarlinkError) -> Void)? {
        get { connection.onClose }
        set { connection.onClose = newValue }
    }

    /// Ends the connection, after what is queued was written as far as the service's buffer allows. Calls that wait
    /// fail with `VarlinkError.closed`.
    package func close() {
        connection.writer.write()
        connection.close()
        connection.writer.releaseStreams()
    }

    /// Calls a method. `onReply` is called once.
    package func call(
        _ method: String, _ parameters: JSONObject = [:],
        onReply: @escaping (Result<JSONObject, VarlinkError>) -> Void
    ) {
        connection.send(VarlinkCall(method, parameters)) { onReply($0.map(\.parameters)) }
    }

    /// Calls a method that may reply many times. `onReply` is called for each reply, up to the last one or an error.
    package func more(
        _ method: String, _ parameters: JSONObject = [:],
        onReply: @escaping (Result<VarlinkReply, VarlinkError>) -> Void
    ) {
        connection.send(VarlinkCall(method, parameters, mode: .more), onReply)
    }

    /// Calls a method that sends no reply.
    package func oneway(_ method: String, _ parameters: JSONObject = [:]) {
        connection.send(VarlinkCall(method, parameters, mode: .oneway), nil)
    }

    /// Reads no replies for now, or reads on. The service queues them meanwhile, or ends the call.
    package func setPaused(_ isPaused: Bool) { connection.isPaused = isPaused }

    /// Writes what is queued without waiting for the end of the turn, as far as the service's buffer allows.
    package func flush() { connection.writer.flush() }
}

extension VarlinkClient {
    /// Calls a method and waits for its reply.
    ///
    /// Cancelling the task does not cancel the call; closing the client does.
    ///
    /// - Throws: the service's error, or the reason why there was no reply.
    package func call(_ method: String, _ parameters: JSONObject = [:]) async throws(VarlinkError) -> JSONObject {
        try await withCheckedContinuation { continuation in
            call(method, parameters) { continuation.resume(returning: $0) }
        }.get()
    }
}

/// Why a call failed.
package nonisolated enum VarlinkError: Error, Sendable, Equatable {
    /// The service answered with an error.
    case failed(name: String, parameters: JSONObject)
    /// The service could not be reached, or the connection failed.
    case system(SystemError)
    /// The connection was closed before the reply.
    case closed
    /// The service broke the protocol; the connection was closed.
    case protocolViolation(VarlinkProtocolError)
}

nonisolated extension VarlinkError: CustomStringConvertible {
    /// A text for people.
    package var description: String {
        switch self {
        case .failed(let name, let parameters):
            "service answered '\(SystemError.escape(name))'"
                + (parameters.isEmpty ? "" : ": \(JSONValue.object(parameters))")
        case .system(let error): "\(error)"
        case .closed: "service closed the connection"
        case .protocolViolation(let error): "service broke the protocol: \(error)"
        }
    }
}
