// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import BelfryLinux
internal import Glibc
package import Varlink

/// Calls the methods of one service.
package final class ServiceClient {
    /// The interface whose methods are called.
    package nonisolated static let interface = "io.belfry.Lifecycle"

    /// Makes the failure `unable to VERB 'OBJECT': REASON` of an error.
    package typealias Failure = (_ error: VarlinkError, _ verb: String, _ object: String) -> ClientFailure

    /// The size limit of one reply, in bytes. Replies with notifications, which may be longer, do not come this way.
    private static let longestReply = 16 << 20

    private let path: String
    private let loop: MainEventLoop
    private let client: VarlinkClient
    private let failure: Failure

    /// Connects to the service at `path`.
    ///
    /// - Parameter failure: the failure for an error of a call.
    /// - Throws: `ClientFailure` when the service cannot be reached or access is denied.
    package init(
        _ path: String, on loop: MainEventLoop, failure: @escaping Failure = ClientFailure.init(calling:to:_:)
    ) throws(ClientFailure) {
        self.path = path
        self.loop = loop
        self.failure = failure
        client = try ServiceSocket.connect(path, on: loop, longestReply: Self.longestReply)
    }

    /// Calls a method and waits for the reply, at most for `limit`; without limit when nil.
    ///
    /// - Parameters:
    ///   - method: the short name in the service's own interface, or the full name.
    ///   - verb: the verb of the error message, such as `pause`.
    ///   - object: the object of the error message; the path of the socket when nil.
    /// - Throws: `ClientFailure` when the call fails or no reply comes in time.
    package func call(
        _ method: String, _ parameters: JSONObject = [:], to verb: String, _ object: String? = nil,
        within limit: Duration?
    ) async throws(ClientFailure) -> JSONObject {
        let object = object ?? path
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
            throw ClientFailure(error)
        }
        do throws(VarlinkError) {
            return try await client.call(
                method.contains(".") ? method : "\(Self.interface).\(method)", parameters)
        } catch {
            guard isLate, let limit else { throw failure(error, verb, object) }
            throw ClientFailure(noAnswerIn: limit, to: verb, object)
        }
    }
}

/// Connects to the socket of a service.
package enum ServiceSocket {
    /// Connects to the service at `path`.
    ///
    /// - Parameter longestReply: the size limit of a reply, in bytes.
    /// - Throws: `ClientFailure` when the service cannot be reached, when access is denied, and when another user owns
    ///   the socket's directory below a directory that everybody can write to, such as `/tmp`: that user could answer
    ///   in place of the service.
    package static func connect(
        _ path: String, on loop: MainEventLoop, longestReply: Int = VarlinkClient.longestReply
    ) throws(ClientFailure) -> VarlinkClient {
        if let owner = foreignOwner(of: path) {
            throw ClientFailure(
                .permission,
                "unable to connect to '\(SystemError.escape(path))': its directory belongs to uid \(owner), "
                    + "who could answer in place of the service")
        }
        do throws(VarlinkError) {
            return try VarlinkClient(path, on: loop, longestReply: longestReply)
        } catch {
            throw ClientFailure(connecting: error, to: path)
        }
    }

    /// The owner of the socket's directory, if it is neither root nor this user and everybody can write to the parent
    /// directory.
    private static func foreignOwner(of path: String) -> uid_t? {
        let slash = UInt8(ascii: "/")
        guard path.utf8.first == slash, let end = path.utf8.lastIndex(of: slash), end > path.startIndex else {
            return nil
        }
        let directory = String(path[..<end])
        let above = directory.utf8.lastIndex(of: slash).map { String(directory[...$0]) } ?? "/"
        var (own, parent) = (stat(), stat())
        // A symbolic link counts as its creator's. What cannot be examined cannot be connected to either.
        guard lstat(directory, &own) == 0, stat(above, &parent) == 0, parent.st_mode & S_IWOTH != 0,
            own.st_uid != 0, own.st_uid != geteuid()
        else { return nil }
        return own.st_uid
    }
}
