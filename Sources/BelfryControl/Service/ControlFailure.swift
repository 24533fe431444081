// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc
package import SystemErrors
package import Varlink

/// Why a command came to nothing: the exit status, and the lines for standard error.
package nonisolated struct ControlFailure: Error, Sendable, Equatable {
    /// What belfryctl exits with.
    package let status: CommandStatus
    /// What the user is told, and then what to do about it where that is known.
    package let lines: [String]

    /// A failure with these words.
    package init(_ status: CommandStatus, _ lines: String...) {
        self.status = status
        self.lines = lines
    }

    /// A call into the system that failed.
    package init(_ error: SystemError) { self.init(.system, "\(error)") }

    /// A service that could not be reached: `unable to connect to '/run/…': … (ENOENT)` and what to do.
    package init(connecting error: VarlinkError, to path: String) {
        guard case .system(let error) = error else {
            self.init(calling: error, to: "connect to", path)
            return
        }
        switch error.code {
        case EACCES, EPERM:
            self.init(.permission, "\(error)")
        case ENOENT, ECONNREFUSED, ENOTDIR, EAGAIN:
            self.init(.unavailable, "\(error)", Self.hint)
        default:
            self.init(error)
        }
    }

    /// A call that the service did not answer as it was hoped: `unable to VERB 'OBJECT': REASON`.
    package init(calling error: VarlinkError, to verb: String, _ object: String) {
        func failure(_ status: CommandStatus, _ reason: String, _ more: [String] = []) -> ControlFailure {
            ControlFailure(status, ["unable to \(verb) '\(SystemError.escape(object))': \(reason)"] + more)
        }
        self =
            switch error {
            case .failed("org.varlink.service.PermissionDenied", _):
                failure(.permission, "permission denied", [Self.permissionHint])
            case .failed("org.varlink.service.InvalidParameter", let parameters):
                failure(.usage, "the service does not take this value of '\(parameters.textOrDash("parameter"))'")
            case .failed("io.belfry.Lifecycle.ReloadRefused", let parameters):
                ControlFailure(.configuration, Self.reasons(parameters) ?? ["\(error)"])
            case .failed("io.belfry.Lifecycle.Stopping", _):
                failure(.unavailable, "the service is stopping")
            case .failed("io.belfry.Lifecycle.InvalidSignal", let parameters):
                failure(.usage, SystemError.escape(parameters["reason"]?.stringValue ?? "there is no such signal"))
            case .failed("io.belfry.Lifecycle.InvalidName", _):
                failure(.usage, "the name is none to post, or belongs to a transition")
            case .failed("io.belfry.Lifecycle.NoSuchAction", _):
                failure(.usage, "no listener offers it; 'belfryctl actions' lists those that are offered")
            case .failed("org.varlink.service.MethodNotFound", _), .failed("org.varlink.service.InterfaceNotFound", _):
                failure(.unavailable, "the service is of a version that does not have this")
            case .failed:
                failure(.unavailable, "\(error)")
            case .system(let error):
                failure(.unavailable, error.reason)
            case .closed, .protocolViolation, .cancelled:
                failure(.unavailable, "\(error)")
            }
    }

    /// A service that gave no answer in time: `unable to VERB 'OBJECT': no answer in 10 s`.
    package init(noAnswerIn limit: Duration, to verb: String, _ object: String) {
        let what = "unable to \(verb) '\(SystemError.escape(object))'"
        self.init(.unavailable, "\(what): no answer in \(DurationText.text(limit))")
    }

    /// The same, with one more thing to do about it.
    package func with(_ hint: String) -> ControlFailure { ControlFailure(status, lines + [hint]) }

    private init(_ status: CommandStatus, _ lines: [String]) {
        self.status = status
        self.lines = lines
    }

    private static let hint = "is belfryd running? 'systemctl status belfryd' says so; --socket names another socket"
    private static let permissionHint =
        "root, the service's own user and the group that [Socket] names may do this"

    private static func reasons(_ parameters: JSONObject) -> [String]? {
        let reasons = parameters["reasons"]?.arrayValue?.compactMap(\.stringValue) ?? []
        // Each is a line, whatever is in it: a service must not draw on the operator's terminal.
        let lines = reasons.flatMap { $0.split(separator: "\n") }.map { SystemError.escape(String($0)) }
        return lines.isEmpty ? nil : lines
    }
}
