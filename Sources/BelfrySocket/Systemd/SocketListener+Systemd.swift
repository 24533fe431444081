// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Glibc
internal import BelfryListeners
internal import BelfrySystemd
internal import Varlink

/// The methods of `io.systemd.service`.
extension SocketListener {
    var systemdMethods: [String: VarlinkInterface.Handler] {
        [
            "Ping": look { $0.reply() },
            "Reload": control { [unowned self] in reload($0) },
            "SetLogLevel": control { [unowned self] request in
                let level = request.parameters["level"]?.intValue.flatMap { Int(exactly: $0) }
                guard let level = level.flatMap(LogPriority.init(rawValue:)) else {
                    return request.fail(.invalidParameter("level"))
                }
                log.set(level: level, by: origin(of: request))
                request.reply()
            },
            "GetEnvironment": own { request in
                guard let environment = Self.environment else {
                    return request.fail("io.systemd.service.InconsistentEnvironment")
                }
                request.reply(["environment": .array(environment.map { .string($0) })])
            },
        ]
    }

    /// The assignments of environ(7); nil when one is none.
    private static var environment: [String]? {
        var assignments: [String] = []
        var entry = environ
        while let text = entry.pointee {
            guard let assignment = String(validatingCString: text), assignment.dropFirst().contains("=") else {
                return nil
            }
            assignments.append(assignment)
            entry += 1
        }
        return assignments
    }
}
