// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import BelfryLinux
internal import Glibc
package import Varlink

/// Calls the methods of one service.
package final class ServiceClient {
    /// The interface whose methods are called.
    package static let interface = "io.belfry.Lifecycle"

    /// The longest reply that is taken, and the most of all replies to one call, in bytes. Notifications, which a client
    /// may have made longer, are none of these.
    private static let longestReply = 16 << 20
    /// What is counted for a reply besides its text.
    private static let overhead = 128

    private let path: String
    private let loop: MainEventLoop
    private let client: VarlinkClient

    /// Connects to the service at `path`.
    ///
    /// - Throws: what to tell the user when nobody is there or it is out of bounds.
    package init(_ path: String, on loop: MainEventLoop) throws(ControlFailure) {
        self.path = path
        self.loop = loop
        client = try ServiceSocket.connect(path, on: loop, longestReply: Self.longestReply)
    }

    /// Calls a method and waits for the reply, at most for `limit`; forever when nil.
    ///
    /// - Parameters:
    ///   - method: its short name in the service's own interface, or its full one.
    ///   - verb: what the call is to do, for the message when it fails: `pause`.
    ///   - object: on what; the path of the socket when nil.
    /// - Throws: what to tell the user.
    package func call(
        _ method: String, _ parameters: JSONObject = [:], to verb: String, _ object: String? = nil,
        within limit: Duration?
    ) async throws(ControlFailure) -> JSONObject {
        try await limited(to: verb, object ?? path, within: limit) { [client] () async throws(VarlinkError) in
            try await client.call(Self.full(method), parameters)
        }
    }

    /// Calls a method that answers many times, and waits for all of its replies. As `call` otherwise.
    package func collect(
        _ method: String, _ parameters: JSONObject = [:], to verb: String, _ object: String? = nil,
        within limit: Duration?
    ) async throws(ControlFailure) -> [JSONObject] {
        try await limited(to: verb, object ?? path, within: limit) { [client] () async throws(VarlinkError) in
            var replies: [JSONObject] = []
            var size = 0
            for try await reply in client.more(Self.full(method), parameters) {
                size += JSONValue.object(reply).json.count + Self.overhead
                guard size <= Self.longestReply else {
                    throw .protocolViolation(.tooLarge(Self.longestReply))
                }
                replies.append(reply)
            }
            return replies
        }
    }

    private static func full(_ method: String) -> String { method.contains(".") ? method : "\(interface).\(method)" }

    private func limited<Result>(
        to verb: String, _ object: String, within limit: Duration?,
        _ body: () async throws(VarlinkError) -> Result
    ) async throws(ControlFailure) -> Result {
        var isLate = false
        var timer: TimerEventSource?
        defer { timer?.cancel() }
        do throws(SystemError) {
            timer = try limit.map { (limit) throws(SystemError) in
                try loop.timer(after: limit) { [client] in
                    isLate = true
                    client.close()
                }
            }
        } catch {
            throw ControlFailure(error)
        }
        do throws(VarlinkError) {
            return try await body()
        } catch {
            guard isLate, let limit else { throw ControlFailure(calling: error, to: verb, object) }
            throw ControlFailure(noAnswerIn: limit, to: verb, object)
        }
    }
}

/// The socket of a service, as a client comes to it.
package enum ServiceSocket {
    /// Connects to the service at `path`.
    ///
    /// - Parameter longestReply: how long a reply may be, in bytes.
    /// - Throws: what to tell the user when nobody is there, when it is out of bounds, and when the directory is a
    ///   stranger's who made it where everybody may make one, as in `/tmp`: he would answer in place of the service.
    package static func connect(
        _ path: String, on loop: MainEventLoop, longestReply: Int = VarlinkClient.longestReply
    ) throws(ControlFailure) -> VarlinkClient {
        if let owner = stranger(behind: path) {
            throw ControlFailure(
                .permission,
                "unable to connect to '\(SystemError.escape(path))': its directory belongs to uid \(owner), "
                    + "who could answer in place of the service")
        }
        do throws(VarlinkError) {
            return try VarlinkClient(path, on: loop, longestReply: longestReply)
        } catch {
            throw ControlFailure(connecting: error, to: path)
        }
    }

    /// The owner of the socket's directory, if it is neither root nor this user, and everybody may make entries of the
    /// directory above.
    private static func stranger(behind path: String) -> uid_t? {
        let slash = UInt8(ascii: "/")
        guard path.utf8.first == slash, let end = path.utf8.lastIndex(of: slash), end > path.startIndex else {
            return nil
        }
        let directory = String(path[..<end])
        let above = directory.utf8.lastIndex(of: slash).map { String(directory[...$0]) } ?? "/"
        var (own, parent) = (stat(), stat())
        // A link is its maker's, whatever it leads to. What cannot be looked at cannot be connected to either.
        guard lstat(directory, &own) == 0, stat(above, &parent) == 0, parent.st_mode & S_IWOTH != 0,
            own.st_uid != 0, own.st_uid != geteuid()
        else { return nil }
        return own.st_uid
    }
}
