// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryListeners
internal import BelfrySystemd
internal import Glibc
internal import Varlink

/// The methods of `io.systemd.service`.
extension SocketListener {
    static let systemdMethods: [String: Method] = [
        "Ping": (.look, { $1.reply() }),
        "Reload": (.control, { $0.reload($1) { _ in [:] } }),
        "SetLogLevel": (.control, { $0.setLogLevel($1) }),
        "GetEnvironment": (.own, { $0.getEnvironment($1) }),
    ]

    private func setLogLevel(_ request: VarlinkRequest) {
        let level = request.parameters["level"]?.intValue.flatMap { Int32(exactly: $0) }
        guard let level = level.flatMap(LogPriority.init(rawValue:)) else {
            return request.fail(.invalidParameter("level"))
        }
        log.set(level: level, by: origin(of: request))
        request.reply()
    }

    private func getEnvironment(_ request: VarlinkRequest) {
        guard let environment = Self.environment else {
            return request.fail("io.systemd.service.InconsistentEnvironment")
        }
        request.reply(["environment": .array(environment.map { .string($0) })])
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

/// The description of `io.systemd.service`, which is systemd's: its own services have it too.
nonisolated let systemdServiceInterfaceText = """
    # What every service of systemd can be asked for.
    interface io.systemd.service

    # Whether the service is running.
    method Ping() -> ()

    # Read the configuration anew. The reply comes when it holds, or when it was refused.
    method Reload() -> ()

    # Set the least urgent level that is logged, until the next reload.
    method SetLogLevel(
      # As syslog(3) counts: 0 is emerg, 7 is debug
      level: ?int
    ) -> ()

    # The environment of the process. For root and the service's own user alone: some put secrets there.
    method GetEnvironment() -> (environment: ?[]string)

    # The environment is not what the specification of it says.
    error InconsistentEnvironment()

    """
