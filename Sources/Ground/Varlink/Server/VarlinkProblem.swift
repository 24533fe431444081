// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux

/// Something that went wrong with one client, or with accepting one, to be logged. The server has handled it.
package nonisolated struct VarlinkProblem: Sendable, Equatable {
    /// What went wrong.
    package enum Kind: Sendable, Equatable {
        /// The client broke the protocol; the connection was closed.
        case protocolViolation(VarlinkProtocolError)
        /// The server has as many connections as are allowed; this one was closed.
        case tooManyConnections(limit: Int)
        /// The user has as many connections as are allowed for one user; this one was closed.
        case tooManyConnectionsOfUser(limit: Int)
        /// Users outside of the group for which a part is kept have as many connections together as are allowed; this
        /// one was closed.
        case tooManyConnectionsOfStrangers(limit: Int)
        /// The connections of the user used more than this many bytes; the largest one was closed.
        case tooMuchMemoryOfUser(limit: Int)
        /// All connections together used more than this many bytes; the largest connection of the largest user was
        /// closed.
        case tooMuchMemory(limit: Int)
        /// The client does not read; the connection was closed.
        case queueOverflow(bytes: Int, replies: Int)
        /// A handler released its request without a reply; the client got an error.
        case unanswered(method: String)
        /// A system call failed; accepting a connection is retried after a pause.
        case system(SystemError)
    }

    /// What went wrong.
    package let kind: Kind
    /// The client, if it is known.
    package let peer: VarlinkPeer?
}

nonisolated extension VarlinkProblem: CustomStringConvertible {
    /// A text for people.
    package var description: String {
        let what =
            switch kind {
            case .protocolViolation(let error): "closed connection: \(error)"
            case .tooManyConnections(let limit): "refused connection: \(limit) connections are open"
            case .tooManyConnectionsOfUser(let limit): "refused connection: the user has \(limit) connections open"
            case .tooManyConnectionsOfStrangers(let limit):
                "refused connection: users outside of the group have \(limit) connections open"
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
