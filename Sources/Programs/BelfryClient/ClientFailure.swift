// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryJSON
package import BelfryLinux
internal import Glibc
package import Varlink

/// Why a request failed: the exit status, and the lines for standard error.
package nonisolated struct ClientFailure: Error, Sendable, Equatable {
    /// The exit status.
    package let status: CommandStatus
    /// The message, and then hints about what to do, if there are any.
    package let lines: [String]

    /// A failure with these lines.
    package init(_ status: CommandStatus, _ lines: String...) {
        self.status = status
        self.lines = lines
    }

    /// A failed system call.
    package init(_ error: SystemError) { self.init(.system, "\(error)") }

    /// A service that could not be reached: `unable to connect to '/run/…': … (ENOENT)` and a hint.
    package init(connecting error: VarlinkError, to path: String) {
        guard case .system(let error) = error else {
            self.init(calling: error, to: "connect to", path)
            return
        }
        switch error.code {
        case EACCES, EPERM:
            self.init(.permission, "\(error)")
        case ENOENT, ECONNREFUSED, ENOTDIR, EAGAIN:
            self.init(.unavailable, "\(error)", Self.hint(path))
        default:
            self.init(error)
        }
    }

    /// A failed call: `unable to VERB 'OBJECT': REASON`.
    package init(calling error: VarlinkError, to verb: String, _ object: String) {
        func failure(_ status: CommandStatus, _ reason: String, _ more: [String] = []) -> ClientFailure {
            ClientFailure(status, ["unable to \(verb) '\(SystemError.escape(object))': \(reason)"] + more)
        }
        self =
            switch error {
            case .failed(let name, let parameters):
                switch UTF8Text(name) {
                case "org.varlink.service.PermissionDenied":
                    failure(.permission, "permission denied", [Self.permissionHint])
                case "org.varlink.service.InvalidParameter":
                    failure(.usage, "the service does not accept this value of '\(parameters.textOrDash("parameter"))'")
                case "io.belfry.Lifecycle.ReloadRefused":
                    ClientFailure(.configuration, Self.reasons(parameters) ?? ["the service gave no reason"])
                case "io.belfry.Lifecycle.ReloadFailed":
                    ClientFailure(.failure, ListenerReports.problems(parameters) + [Self.reloadFailed])
                case "io.belfry.Lifecycle.Stopping":
                    failure(.unavailable, "the service is stopping")
                case "io.belfry.Lifecycle.InvalidSignal", "io.belfry.Lifecycle.InvalidName",
                    "io.belfry.Lifecycle.InvalidOrder":
                    failure(.usage, parameters.text("reason") ?? "it is invalid")
                case "io.belfry.Lifecycle.ListenerExists":
                    failure(.unavailable, "the service has a listener of this name")
                case "io.belfry.Lifecycle.NoSuchAction":
                    failure(.usage, "no listener offers it; 'belfryctl actions' lists the actions")
                case "org.varlink.service.MethodNotFound", "org.varlink.service.InterfaceNotFound":
                    failure(.unavailable, "this version of the service does not support it")
                default:
                    failure(.unavailable, Self.answer(name, parameters))
                }
            case .system(let error):
                failure(.unavailable, error.reason)
            case .closed:
                failure(.unavailable, PrintableText.line("\(error)"), [Self.closedHint])
            case .protocolViolation:
                failure(.unavailable, PrintableText.line("\(error)"))
            }
    }

    private static func answer(_ name: String, _ parameters: JSONObject) -> String {
        let answer = "the service answered '\(PrintableText.line(name))'"
        return parameters.isEmpty
            ? answer : "\(answer): \(PrintableText.line(JSONValue.object(parameters).description))"
    }

    /// A service that gave no answer in time: `unable to VERB 'OBJECT': no answer in 10 s`.
    package init(noAnswerIn limit: Duration, to verb: String, _ object: String) {
        let what = "unable to \(verb) '\(SystemError.escape(object))'"
        self.init(.unavailable, "\(what): no answer in \(DurationText.text(limit))")
    }

    private init(_ status: CommandStatus, _ lines: [String]) {
        self.status = status
        self.lines = lines
    }

    private static func hint(_ path: String) -> String {
        let scope = ApplicationScope.ofProcess
        let names = ApplicationFile.names(in: scope) { _ in }
        if let name = names.first(where: { scope.socket(of: $0).hasSameBytes(as: path) }),
            let application = ApplicationFile(name, in: scope).settings
        {
            let systemctl = scope.isOfUser ? "systemctl --user" : "systemctl"
            let instance = "belfryd@\(application.name)"
            return
                "\(instance) starts a moment after \(application.unit) and stops with it, "
                + "see '\(systemctl) status \(application.unit) \(instance)', and 'belfryctl history "
                + "\(application.name)' for its past; "
                + "if only \(instance) has stopped: 'belfryctl enable \(application.name)'"
                + (application.reloadByHand.map { "; to reload without it: \(PrintableText.line($0))" } ?? "")
        }
        let unit = PrintableText.line(ServiceUnit(socket: path)?.name ?? "belfryd")
        let application = unit.hasPrefix("belfryd@") ? unit.dropFirst("belfryd@".count) : ""
        let enable = application.isEmpty ? "" : "; an application begins with 'belfryctl enable \(application)'"
        let systemctl = path.utf8.starts(with: "/run/user/".utf8) ? "systemctl --user" : "systemctl"
        return "is \(unit) running? see '\(systemctl) status \(unit)'\(enable); "
            + "use --instance or --socket for another service"
    }
    private static let closedHint =
        "its journal says why: it cannot start, it has ended, or a limit of [Socket] is reached"
    private static let reloadFailed =
        "the service keeps its old configuration; whether the listeners named here have the new one is not known"
    private static let permissionHint =
        "root, the service's own user and its group may do this: 'belfry', unless Group= in [Socket] names another"

    private static let maximumReasons = 1024

    private static func reasons(_ parameters: JSONObject) -> [String]? {
        let reasons = parameters["reasons"]?.arrayValue?.lazy.compactMap(\.stringValue) ?? []
        // A reason is printed as lines of printable text: a service must not control the operator's terminal.
        let lines = reasons.flatMap { $0.unicodeScalars.split(separator: "\n") }.prefix(maximumReasons)
        return lines.isEmpty ? nil : lines.map { PrintableText.line(String($0)) }
    }
}

/// The exit status of a command, by the numbers of sysexits.h.
package nonisolated struct CommandStatus: RawRepresentable, Sendable, Equatable {
    /// Done.
    package static let success = CommandStatus(rawValue: 0)
    /// Done, but a listener failed, or no listener handled the request.
    package static let failure = CommandStatus(rawValue: 1)
    /// The arguments are invalid.
    package static let usage = CommandStatus(rawValue: 64)
    /// The service cannot be reached, or gives no usable answer.
    package static let unavailable = CommandStatus(rawValue: 69)
    /// The system refused something.
    package static let system = CommandStatus(rawValue: 71)
    /// Done, but not under the conditions that were asked for; it may succeed later.
    package static let temporaryFailure = CommandStatus(rawValue: 75)
    /// The caller lacks the permission.
    package static let permission = CommandStatus(rawValue: 77)
    /// The configuration was refused.
    package static let configuration = CommandStatus(rawValue: 78)

    /// The number.
    package let rawValue: Int32

    /// Any other number, such as that of a command that was run.
    package init(rawValue: Int32) { self.rawValue = rawValue }
}
