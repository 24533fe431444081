// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON
import BelfryLinux
import BelfryListeners
import BelfrySystemd
import Glibc
import Logging
import Varlink

/// Does what a `RollingPlan` decides, tells its caller the steps, and stores it before each of them.
final class RollRunner {
    /// Bytes that a stored plan may have.
    private static let sizeMax = 64 << 20

    private let file: StateFile
    private let commands: CommandSender
    private let logger: Logger
    private let activeHosts: (RollingPlan.Order) -> [String]
    private var plan: RollingPlan?
    /// The client of `Roll` or `Continue`.
    private var caller: VarlinkRequest?
    /// The clients of `Cancel`.
    private var cancelling: [VarlinkRequest] = []
    /// The command that the host under way has not answered.
    private var command: String?
    private var timer: DueTimer?

    /// Reads the plan of an earlier process, if there is one.
    ///
    /// - Parameters:
    ///   - directory: the state directory.
    ///   - activeHosts: those of an order that are active.
    /// - Throws: when the system has no memory left.
    init(
        directory: String, _ commands: CommandSender, on loop: MainEventLoop, _ logger: Logger,
        activeHosts: @escaping (RollingPlan.Order) -> [String]
    ) throws(SystemError) {
        file = StateFile(path: "\(directory)/roll.json", limit: Self.sizeMax)
        self.commands = commands
        self.logger = logger
        self.activeHosts = activeHosts
        timer = try DueTimer(on: loop) { [weak self] in self?.perform { $0?.timePassed(at: .now) } }
        plan = read()
    }

    private func read() -> RollingPlan? {
        do {
            guard let bytes = try file.read() else { return nil }
            if let plan = RollingPlan(json: bytes) { return plan }
            logger.error(
                "unable to use '\(file.path)': it is no rolling command, ignoring", metadata: .kind(.stored))
            try file.putAside()
        } catch {
            logger.error("\(error), ignoring", metadata: .kind(.stored))
        }
        return nil
    }

    /// Whether a plan is under way, and must hear of changes of hosts in time.
    var isRunning: Bool { plan?.isRunning ?? false }

    /// Whether the plan cannot be cancelled without a connection to the broker.
    var owesResume: Bool { plan?.owesResume ?? false }

    // Calls

    /// Answers `Roll`.
    func begin(_ order: RollingPlan.Order, _ request: VarlinkRequest) {
        if let busy { return request.fail("io.belfry.Fleet.RollBusy", ["reason": .string(busy)]) }
        plan = RollingPlan(order)
        proceed(request)
    }

    /// Answers `Continue`.
    func `continue`(_ request: VarlinkRequest) {
        guard plan != nil else { return request.fail("io.belfry.Fleet.NothingToContinue") }
        if isRunning, let busy { return request.fail("io.belfry.Fleet.RollBusy", ["reason": .string(busy)]) }
        proceed(request)
    }

    /// Answers `Cancel`.
    func cancel(_ request: VarlinkRequest) {
        guard plan != nil else { return request.fail("io.belfry.Fleet.NothingToContinue") }
        cancelling.append(request)
        perform { $0?.cancel() }
    }

    private func proceed(_ request: VarlinkRequest) {
        caller = request
        request.onCancel = { [weak self] in
            self?.caller = nil
            self?.perform { $0?.stop(.stopped("its caller went away")) }
        }
        perform { [activeHosts] in
            guard let order = $0?.order else { return nil }
            return $0?.proceed(active: activeHosts(order), at: .now)
        }
    }

    /// Why there can be no other plan.
    private var busy: String? {
        guard let plan else { return nil }
        let name = "a rolling '\(plan.order.action.word)'"
        guard !plan.isRunning else { return "\(name) is under way" }
        return "\(name) has stopped: \(plan.ending?.reason ?? "?"); continue or cancel it"
    }

    // Events

    func hostChanged(_ host: String, isActive: Bool) {
        perform { $0?.hostChanged(host, isActive: isActive, at: .now) }
    }

    /// Stops the plan if it is under way. A host is resumed, now or when the view is back.
    func viewLost(_ reason: String) { perform { $0?.viewLost(reason) } }

    func viewReturned() { perform { $0?.viewReturned() } }

    private func perform(_ event: (inout RollingPlan?) -> [RollingPlan.Action]?) {
        let before = plan?.stored
        var actions = event(&plan) ?? []
        if let plan, plan.stored != before {
            do throws(SystemError) {
                try file.write(plan.json)
            } catch {
                logger.error("\(error)", metadata: .kind(.stored))
                // What is not stored must not be begun: nobody would bring the host back.
                if plan.isRunning, plan.ending == nil { actions = self.plan?.stop(.stopped("\(error)")) ?? [] }
            }
        }
        // A caller that is told something may turn out to be gone, which stops the plan: commands go first, in their order.
        for action in actions where action.isCommand { perform(action) }
        for action in actions where !action.isCommand { perform(action) }
        timer?.set(to: plan?.wakeAt)
    }

    private func perform(_ action: RollingPlan.Action) {
        switch action {
        case .tell(let step, let host, let reason): tell(step.rawValue, host, reason)
        case .send(let command, let host): send(command, to: host)
        case .withdraw: withdraw()
        case .end(let ending): end(ending)
        }
    }

    private func tell(_ step: String, _ host: String, _ reason: String?) {
        logger.info(
            "rolling: \(step) \(host)\(reason.map { ": \(SystemError.escape($0))" } ?? "")", metadata: .kind(.roll))
        var reply: JSONObject = ["host": .string(host), "step": .string(step)]
        reply["reason"] = reason.map { .string($0) }
        caller?.reply(reply, continues: true)
    }

    private func send(_ action: FleetCommand.Action, to host: String) {
        withdraw()
        guard let order = plan?.order else { return }
        command = commands.send(action, to: [host], within: order.timeout) { [weak self] _, answer in
            guard case .ending(let ending) = answer else { return }
            self?.command = nil
            self?.perform { $0?.answered(ending, at: .now) }
        }
    }

    private func withdraw() {
        if let command { commands.withdraw(command) }
        command = nil
    }

    private func end(_ ending: RollingPlan.Ending) {
        logger.notice("rolling: \(SystemError.escape(ending.reason))", metadata: .kind(.roll))
        let host = plan?.host
        if case .stopped = ending {} else { forget() }
        if case .finished = ending {
            caller?.reply(["step": "finished"])
        } else {
            var parameters: JSONObject = ["reason": .string(ending.reason)]
            parameters["host"] = host.map { .string($0) }
            caller?.fail("io.belfry.Fleet.RollStopped", parameters)
        }
        caller = nil
        for request in cancelling { request.reply() }
        cancelling = []
    }

    private func forget() {
        plan = nil
        if unlink(file.path) != 0, errno != ENOENT {
            logger.error("\(SystemError.last(verb: "remove", object: file.path))", metadata: .kind(.stored))
        }
    }
}

nonisolated extension RollingPlan.Action {
    fileprivate var isCommand: Bool {
        switch self {
        case .send, .withdraw: true
        case .tell, .end: false
        }
    }
}
