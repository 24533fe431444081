// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The client's end of a connection: sends calls, and passes each reply to the oldest call that waits.
final class ClientConnection: FrameStream {
    /// Gets each reply, or the error that ends the call.
    typealias Handler = (Result<VarlinkReply, VarlinkError>) -> Void

    private struct Waiting {
        let wantsMore: Bool
        let handler: Handler
    }

    /// Why the connection is over.
    private(set) var failure: VarlinkError?
    var onClose: ((VarlinkError) -> Void)?

    private var waiting: [Waiting] = []
    private var waitingHead = 0
    /// Whether replies are not read for now, and stay in the kernel. The end of the connection comes after them.
    var isPaused = false {
        didSet { if !isPaused, oldValue { needsTurn() } }
    }
    override var isPostponed: Bool { isPaused }
    /// Why the connection ends when all replies have been handled.
    private var reason = VarlinkError.closed

    func send(_ call: VarlinkCall, _ handler: Handler?) {
        if let failure {
            handler?(.failure(failure))
            return
        }
        if let handler { waiting.append(Waiting(wantsMore: call.mode == .more, handler: handler)) }
        queue(EncodedMessage(call.message))
    }

    override func advance() {
        while !isClosed, !isPaused {
            do throws(VarlinkProtocolError) {
                guard let frame = try frames.next() else { break }
                try receive(VarlinkReply(message: frame))
            } catch {
                return finish(.protocolViolation(error))
            }
        }
        guard !isClosed else { return }
        frames.release()
        readsInput = !isPaused
        if inputEnded, !isPaused {
            finish(frames.pendingBytes > 0 ? .protocolViolation(.truncated) : reason)
        }
    }

    private func receive(_ reply: VarlinkReply) throws(VarlinkProtocolError) {
        guard waitingHead < waiting.count else { throw .unexpectedReply }
        let call = waiting[waitingHead]
        guard call.wantsMore || !reply.continues else { throw .unexpectedContinues }
        if !reply.continues { removeOldest() }
        if let name = reply.error {
            call.handler(.failure(.failed(name: name, parameters: reply.parameters)))
        } else {
            call.handler(.success(reply))
        }
    }

    private func removeOldest() {
        waitingHead += 1
        guard waitingHead == waiting.count || waitingHead > 64 else { return }
        waiting.removeSubrange(..<waitingHead)
        waitingHead = 0
    }

    override func ended(_ end: End) {
        if case .failed(let error) = end { reason = .system(error) }
        proceed()
    }

    override func close() { finish(reason) }

    /// Closes the connection. Calls that wait fail with the reason.
    func finish(_ reason: VarlinkError) {
        guard failure == nil else { return }
        failure = reason
        super.close()
        let handlers = waiting[waitingHead...].map(\.handler)
        waiting = []
        waitingHead = 0
        for handler in handlers { handler(.failure(reason)) }
        onClose?(reason)
        onClose = nil
    }
}
