// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfryLinux
internal import Glibc
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
            case .failed(let name, let parameters):
                switch UTF8Text(name) {
                case "org.varlink.service.PermissionDenied":
                    failure(.permission, "permission denied", [Self.permissionHint])
                case "org.varlink.service.InvalidParameter":
                    failure(.usage, "the service does not take this value of '\(parameters.textOrDash("parameter"))'")
                case "io.belfry.Lifecycle.ReloadRefused":
                    ControlFailure(.configuration, Self.reasons(parameters) ?? ["service gave no reason"])
                case "io.belfry.Lifecycle.Stopping":
                    failure(.unavailable, "the service is stopping")
                case "io.belfry.Lifecycle.InvalidSignal":
                    failure(.usage, parameters.text("reason") ?? "there is no such signal")
                case "io.belfry.Lifecycle.InvalidName":
                    failure(.usage, "the name is none to post, or belongs to a transition")
                case "io.belfry.Lifecycle.NoSuchAction":
                    failure(.usage, "no listener offers it; 'belfryctl actions' lists those that are offered")
                case "org.varlink.service.MethodNotFound", "org.varlink.service.InterfaceNotFound":
                    failure(.unavailable, "the service is of a version that does not have this")
                default:
                    failure(.unavailable, Self.answer(name, parameters))
                }
            case .system(let error):
                failure(.unavailable, error.reason)
            case .closed, .protocolViolation, .cancelled:
                failure(.unavailable, OutsideText.line("\(error)"))
            }
    }

    private static func answer(_ name: String, _ parameters: JSONObject) -> String {
        let answer = "service answered '\(OutsideText.line(name))'"
        return parameters.isEmpty ? answer : "\(answer): \(OutsideText.line(JSONValue.object(parameters).description))"
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

    private static let mostReasons = 1024

    private static func reasons(_ parameters: JSONObject) -> [String]? {
        let reasons = parameters["reasons"]?.arrayValue?.lazy.compactMap(\.stringValue) ?? []
        // Each is a line, whatever is in it: a service must not draw on the operator's terminal.
        let lines = reasons.flatMap { $0.unicodeScalars.split(separator: "\n") }.prefix(mostReasons)
        return lines.isEmpty ? nil : lines.map { OutsideText.line(String($0)) }
    }
}

/// What belfryctl tells its caller, by the numbers of sysexits.h.
package nonisolated struct CommandStatus: RawRepresentable, Sendable, Equatable {
    /// It was done.
    package static let success = CommandStatus(rawValue: 0)
    /// It was done, and a listener failed, or nobody would do it.
    package static let failure = CommandStatus(rawValue: 1)
    /// The arguments make no sense.
    package static let usage = CommandStatus(rawValue: 64)
    /// The service cannot be reached, or gives no answer that can be used.
    package static let unavailable = CommandStatus(rawValue: 69)
    /// The system refused something.
    package static let system = CommandStatus(rawValue: 71)
    /// The caller may not do this.
    package static let permission = CommandStatus(rawValue: 77)
    /// The configuration was refused.
    package static let configuration = CommandStatus(rawValue: 78)

    /// The number.
    package let rawValue: Int32

    /// Any other number, such as that of a command that was run.
    package init(rawValue: Int32) { self.rawValue = rawValue }
}
