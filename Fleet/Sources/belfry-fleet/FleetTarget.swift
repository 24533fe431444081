// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import Varlink

/// The hosts of a command.
struct HostsOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The hosts, as a pattern of glob(7): 'web*', or '*' for all.", valueName: "glob"),
        completion: .hosts)
    var hosts: String?

    /// Refuses a command without hosts: a command to all of them must be meant.
    func checkIsGiven() throws {
        if hosts == nil { throw ValidationError("missing --hosts; use --hosts '*' for all hosts of the fleet") }
    }
}

/// The hosts of a command that may also go from host to host.
struct RollingTarget: ParsableArguments {
    @OptionGroup var selection: HostsOption

    @Option(
        help: ArgumentHelp(
            "One host after the other, as long as fewer than this number are not active.",
            discussion: """
                The next host follows when the last one has been active for --healthy again, which --timeout limits \
                (default: 5min). Stops at the first host that fails.
                """, valueName: "number"))
    var rolling: Int?

    @Option(
        help: ArgumentHelp(
            "With --rolling: how long a host must be active before the next one follows. Default: 10s.",
            valueName: "time"),
        transform: TimeLimit.init)
    var healthy: TimeLimit?

    /// Refuses options that contradict each other, and a time limit that no host accepts.
    func check(_ timeout: TimeLimit?) throws {
        guard let rolling else {
            if healthy != nil { throw ValidationError("--healthy is for --rolling only") }
            try selection.checkIsGiven()
            return try FleetTimeout.check(timeout)
        }
        if rolling < 1 { throw ValidationError("--rolling must be at least 1") }
        if let healthy, healthy.duration == nil { throw ValidationError("--healthy must not be infinity") }
        try FleetTimeout.check(timeout)
    }

    /// Sends the command to all hosts at once, or to one after the other.
    @MainActor func run(
        _ order: FleetOrder, showsReports: Bool = false, _ options: FleetOptions, _ context: CommandContext
    ) async throws -> CommandStatus {
        guard let rolling else {
            return try await order.send(to: selection.hosts, showsReports: showsReports, options, context)
        }
        var parameters = order.parameters
        parameters["hosts"] = selection.hosts.map { .string($0) }
        parameters["away"] = .int(Int64(rolling))
        parameters["healthyUsec"] = FleetTimeout.parameter(healthy)
        parameters["timeoutUsec"] = FleetTimeout.parameter(options.connection.timeout)
        return try await FleetRoll.run("Roll", parameters, to: order.verb, order.object, options, context)
    }
}

/// The time in which hosts must answer.
enum FleetTimeout {
    /// A host refuses a deadline that is further away.
    private static let longest = Duration.seconds(3600)

    /// Refuses a limit that no host accepts.
    static func check(_ timeout: TimeLimit?) throws {
        guard let timeout else { return }
        guard let time = timeout.duration, time > .zero, time <= longest else {
            throw ValidationError("--timeout must be more than 0 and at most 1h")
        }
    }

    /// The parameter for a time, in microseconds.
    static func parameter(_ limit: TimeLimit?) -> JSONValue? {
        limit?.duration.map { .int(Int64(clamping: $0.microseconds)) }
    }
}
