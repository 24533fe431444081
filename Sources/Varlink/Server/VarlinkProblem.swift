// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryLinux

/// Something that went wrong with one client, or with accepting one, for whoever keeps a log. The server has dealt
/// with it.
public nonisolated struct VarlinkProblem: Sendable, Equatable {
    /// What went wrong.
    public enum Kind: Sendable, Equatable {
        /// The client broke the protocol; the connection was closed.
        case protocolViolation(VarlinkProtocolError)
        /// The server has all the connections it may have; this one was closed.
        case tooManyConnections(limit: Int)
        /// The user has all the connections one may have; this one was closed.
        case tooManyConnectionsOfUser(limit: Int)
        /// The user's connections held more than this many bytes; the one that held most was closed.
        case tooMuchMemoryOfUser(limit: Int)
        /// All connections together held more than this many bytes; this one, which held most of the user that held most,
        /// was closed.
        case tooMuchMemory(limit: Int)
        /// The client does not read what it asked for; the connection was closed.
        case queueOverflow(bytes: Int, replies: Int)
        /// A method let go of its call without an answer; the client got an error.
        case unanswered(method: String)
        /// The system refused something; when it was accepting, that is tried again after a pause.
        case system(SystemError)
    }

    /// What went wrong.
    public let kind: Kind
    /// With whom, where that is known.
    public let peer: VarlinkPeer?

    init(_ kind: Kind, peer: VarlinkPeer? = nil) {
        self.kind = kind
        self.peer = peer
    }
}

nonisolated extension VarlinkProblem: CustomStringConvertible {
    /// What to tell people.
    public var description: String {
        let what =
            switch kind {
            case .protocolViolation(let error): "closed connection: \(error)"
            case .tooManyConnections(let limit): "refused connection: \(limit) connections are open"
            case .tooManyConnectionsOfUser(let limit): "refused connection: the user has \(limit) connections open"
            case .tooMuchMemoryOfUser(let limit): "closed connection: the user's clients hold more than \(limit) bytes"
            case .tooMuchMemory(let limit): "closed connection: all clients together hold more than \(limit) bytes"
            case .queueOverflow(let bytes, let replies):
                "closed connection: client does not read, \(replies) replies of \(bytes) bytes wait"
            case .unanswered(let method): "method '\(SystemError.escape(method))' gave no answer"
            case .system(let error): "\(error)"
            }
        return peer.map { "\(what) (\($0))" } ?? what
    }
}
