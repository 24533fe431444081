// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryEventLoop
public import BelfryLinux
internal import CBelfry
internal import Glibc

/// Calls the methods of a service (UAPI.20), on the main thread's loop.
///
/// You can make several calls without waiting for replies, which come in the order of the calls. While a call with
/// `more` is being answered, later calls wait, so use another client for a subscription. Closing the client ends all
/// calls.
@MainActor  // in words, as in MainEventLoop
public final class VarlinkClient {
    private let connection: ClientConnection

    /// The default for the longest reply that is accepted, in bytes. It is more than a service accepts
    /// (`VarlinkLimits.messageSize`), since a reply may contain what a client sent, in a longer form.
    public nonisolated static let longestReply = 256 << 20

    /// Connects to an address (`unix:/path`, `/path`, `unix:@abstract`).
    ///
    /// - Parameters:
    ///   - address: where the service listens.
    ///   - loop: the loop of the main thread.
    ///   - longestReply: how long a reply may be, in bytes without the NUL. A longer reply closes the connection with
    ///     `VarlinkError.protocolViolation`.
    /// - Throws: `VarlinkError.system` when the service cannot be reached.
    public convenience init(
        _ address: String, on loop: MainEventLoop, longestReply: Int = VarlinkClient.longestReply
    ) throws(VarlinkError) {
        let address = VarlinkAddress(address)
        let path = address.path
        let descriptor = address.isSupported ? belfry_unix_connect(path) : -EPROTONOSUPPORT
        guard descriptor >= 0 else { throw .system(SystemError(descriptor, verb: "connect to", object: path)) }
        belfry_mark_varlink_socket(descriptor, "client")
        try self.init(descriptor, on: loop, longestReply: longestReply)
    }

    /// Takes over a connected stream socket.
    ///
    /// - Parameters:
    ///   - descriptor: the socket. The client closes it.
    ///   - loop: the loop of the main thread.
    ///   - longestReply: how long a reply may be, in bytes without the NUL.
    /// - Throws: `VarlinkError.system` when the descriptor is not open, or cannot be watched.
    public init(
        _ descriptor: Int32, on loop: MainEventLoop, longestReply: Int = VarlinkClient.longestReply
    ) throws(VarlinkError) {
        do throws(SystemError) {
            try FrameStream.makeNonblocking(descriptor, verb: "use")
            belfry_refuse_descriptors(descriptor)
            let writer = try TurnWriter(on: loop)
            connection = ClientConnection(descriptor, frameLimit: longestReply, writer: writer)
            try connection.start()
        } catch {
            throw .system(error)
        }
    }

    isolated deinit { close() }

    /// Whether the connection is over.
    public var isClosed: Bool { connection.isClosed }

    /// Called once when the connection ends, with the reason; `VarlinkError.closed` if either side closed it.
    public var onClose: ((VarlinkError) -> Void)? {
        get { connection.onClose }
        set { connection.onClose = newValue }
    }

    /// Ends the connection, after what is queued was written as far as the service's buffer allows. Calls that wait
    /// fail with `VarlinkError.closed`.
    public func close() {
        connection.writer.write()
        connection.close()
        connection.writer.releaseStreams()
    }

    /// Calls a method. `onReply` is called once.
    public func call(
        _ method: String, _ parameters: JSONObject = [:],
        onReply: @escaping (Result<JSONObject, VarlinkError>) -> Void
    ) {
        connection.send(VarlinkCall(method, parameters)) { onReply($0.map(\.parameters)) }
    }

    /// Calls a method that may reply many times. `onReply` is called for each reply, up to the last one or an error.
    public func more(
        _ method: String, _ parameters: JSONObject = [:],
        onReply: @escaping (Result<VarlinkReply, VarlinkError>) -> Void
    ) {
        connection.send(VarlinkCall(method, parameters, mode: .more), onReply)
    }

    /// Calls a method that sends no reply.
    public func oneway(_ method: String, _ parameters: JSONObject = [:]) {
        connection.send(VarlinkCall(method, parameters, mode: .oneway), nil)
    }

    /// Whether replies are not read for now. The service then queues them, or ends the call.
    public var isPaused: Bool {
        get { connection.isPaused }
        set { connection.isPaused = newValue }
    }

    /// Writes what is queued without waiting for the end of the turn, as far as the service's buffer allows.
    public func flush() { connection.writer.flush() }
}

extension VarlinkClient {
    /// Calls a method and waits for its reply.
    ///
    /// Cancelling the task does not cancel the call; closing the client does.
    ///
    /// - Throws: the service's error, or the reason why there was no reply.
    public func call(_ method: String, _ parameters: JSONObject = [:]) async throws(VarlinkError) -> JSONObject {
        try await withCheckedContinuation { continuation in
            call(method, parameters) { continuation.resume(returning: $0) }
        }.get()
    }
}

/// Why a call failed.
public nonisolated enum VarlinkError: Error, Sendable, Equatable {
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
    public var description: String {
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
