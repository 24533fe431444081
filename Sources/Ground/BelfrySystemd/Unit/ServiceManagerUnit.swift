// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import CBelfry
internal import Glibc

/// The unit that this process is the service of, as its manager knows it: systemd, or the systemd of a user.
@MainActor
package final class ServiceManagerUnit {
    /// The manager's bus. It belongs to whoever needs it to connect it.
    package let bus: SystemBus
    /// The unit's name, `belfryd.service`.
    package let name: String
    /// The system's bus, for a unit of a user.
    private let system: SystemBus?
    let path: String
    private let managerSocket: String?

    static let manager = "org.freedesktop.systemd1"
    static let managerPath = "/org/freedesktop/systemd1"

    /// How long the manager may take to answer while somebody waits for it.
    package static let longestAnswer: Duration = .seconds(5)

    /// `Reloading`: the manager reads all files again. Units do not say what has changed thereby.
    package static let reloading = BusMember(manager, managerPath, "\(manager).Manager", "Reloading")

    /// A unit on a bus.
    ///
    /// - Parameters:
    ///   - system: the system's bus, if the manager is that of a user.
    ///   - managerSocket: the path of the manager's own socket.
    package init(name: String, on bus: SystemBus, system: SystemBus? = nil, managerSocket: String? = nil) {
        self.name = name
        self.bus = bus
        self.system = system
        self.managerSocket = managerSocket
        var text: UnsafeMutablePointer<CChar>?
        sd_bus_path_encode("\(Self.managerPath)/unit", name, &text)
        defer { free(text) }
        path = text.map { String(cString: $0) } ?? "\(Self.managerPath)/unit/_"
    }

    /// The unit of this process; nil when it is in none, or has no service manager.
    ///
    /// - Parameter bus: the system's bus, used unless it is the unit of a user.
    package static func own(loop: MainEventLoop, system bus: SystemBus) -> ServiceManagerUnit? {
        guard let unit = ProcessUnit.of(getpid()) else { return nil }
        if unit.isOfUser {
            guard let address = userAddress else { return nil }
            return ServiceManagerUnit(
                name: unit.name, on: SystemBus(loop: loop, address: address), system: bus, managerSocket: userSocket)
        }
        return ServiceManagerUnit(name: unit.name, on: bus, managerSocket: systemSocket)
    }

    /// Asks the manager about a unit, and waits: as root that of the system, as another user that of this user. It asks
    /// over the manager's own socket, as systemctl(1) does: a user may have a manager and no bus.
    package static func properties(
        of name: String, over socket: String? = geteuid() == 0 ? systemSocket : userSocket
    ) throws -> UnitProperties {
        let loop = try MainEventLoop()
        let attempt = "ask systemd about '\(name)'"
        guard let socket else { throw BusError(attempt, message: "XDG_RUNTIME_DIR is not set") }
        // sd-bus would wait for it.
        guard access(socket, F_OK) == 0 else { throw BusError(attempt, message: "there is no '\(socket)'") }
        let bus = SystemBus(loop: loop, address: "unix:path=\(socket)", isDirect: true)
        let unit = ServiceManagerUnit(name: name, on: bus)
        var answer = Result<UnitProperties, BusError>.failure(
            BusError(attempt, message: "no answer over '\(socket)' within \(longestAnswer)"))
        let timer = try loop.timer(after: longestAnswer) { [weak loop] in loop?.exit(0) }
        defer { timer.cancel() }
        bus.addObserver { [weak unit, weak loop] isReady in
            guard isReady, let unit else { return }
            unit.bus.ask(unit.properties) {
                answer = $0
                loop?.exit(0)
            }
        }
        bus.connect()
        _ = try withExtendedLifetime(unit) { try loop.run() }
        return try answer.get()
    }

    /// The same unit by way of the manager's own socket, which needs no bus; nil where it is not ours to use: that of
    /// the system is for root. The manager sends everything that happens to it there, so it is for the last questions
    /// of a process and not to be kept.
    package var direct: ServiceManagerUnit? {
        guard let managerSocket, access(managerSocket, W_OK) == 0 else { return nil }
        let bus = SystemBus(loop: bus.loop, address: "unix:path=\(managerSocket)", isDirect: true)
        return ServiceManagerUnit(name: name, on: bus, system: system)
    }

    /// Whether the manager is that of a user, in whose queue the end of the machine is not.
    package var isOfUser: Bool { system != nil }

    /// All properties of the unit, which the manager loads for it.
    package var properties: BusQuestion<UnitProperties> {
        let all = BusMember(Self.manager, path, "org.freedesktop.DBus.Properties", "GetAll")
        return BusQuestion(all, [""]) { message throws(BusError) in UnitProperties(try message.dictionary()) }
    }

    /// A time limit of the unit by its property, such as `TimeoutStopUSec`; nil is none.
    package func limit(_ property: String) -> BusQuestion<Duration?> {
        BusQuestion(property: member(property, of: "Service"), "t") { message throws(BusError) in
            let usec = try message.uint64()
            return usec == .max ? nil : .microseconds(usec)
        }
    }

    /// A property that is a text.
    package func text(_ property: String, of interface: String) -> BusQuestion<String> {
        BusQuestion(property: member(property, of: interface), "s") { message throws(BusError) in try message.text() }
    }

    /// A property that is a list of texts.
    func texts(_ property: String, of interface: String) -> BusQuestion<[String]> {
        BusQuestion(property: member(property, of: interface), "as") { message throws(BusError) in
            try message.array(of: "s") { () throws(BusError) in try message.text() }
        }
    }

    /// The manager's queue: for each unit its job.
    static var jobs: BusQuestion<[String: UnitJob]> {
        jobs(BusMember(manager, managerPath, "\(manager).Manager", "ListJobs"))
    }

    /// The jobs that have to end before this one begins.
    static func jobs(before job: UnitJob) -> BusQuestion<[String: UnitJob]> {
        jobs(BusMember(manager, job.path, "\(manager).Job", "GetBefore"))
    }

    private static func jobs(_ list: BusMember) -> BusQuestion<[String: UnitJob]> {
        BusQuestion(list) { message throws(BusError) in
            var jobs: [String: UnitJob] = [:]
            _ = try message.array(of: "(usssoo)") { () throws(BusError) in
                try message.container(BusType.structure, "usssoo") { () throws(BusError) in
                    // Its state comes before the object paths of job and unit.
                    let number = try message.uint32()
                    let (unit, type) = (try message.text(), try message.text())
                    _ = try message.text()
                    let path = try message.text()
                    _ = try message.text()
                    // A unit has at most one job besides this one, which does nothing.
                    if type != "nop" { jobs[unit] = UnitJob(type: type, number: number, path: path) }
                }
            }
            return jobs
        }
    }

    /// Reads the end of the machine that is queued in the system's manager, which tells everyone.
    package func shutdown(timeout: Duration, then completion: @escaping (Result<ShutdownKind?, BusError>) -> Void) {
        (system ?? bus).ask(Self.jobs, timeout: timeout) { completion($0.map(ShutdownKind.init(queuedIn:))) }
    }

    /// Reads why the unit is told to end, if it is: its job, and the end of the machine that this manager has queued;
    /// and what happens to the unit `application`, if the service stands for one.
    package func ending(
        with application: String? = nil, timeout: Duration = .seconds(25),
        then completion: @escaping (Result<UnitEnding, BusError>) -> Void
    ) {
        // Answers come in the order of the questions.
        var (result, id, activeState, end): (String?, String?, String?, String?)
        bus.ask(text("Result", of: "Service"), timeout: timeout) { result = try? $0.get() }
        if let application {
            let unit = ServiceManagerUnit(name: application, on: bus)
            bus.ask(unit.text("Id", of: "Unit"), timeout: timeout) { id = try? $0.get() }
            bus.ask(unit.text("ActiveState", of: "Unit"), timeout: timeout) { activeState = try? $0.get() }
            bus.ask(unit.text("Result", of: "Service"), timeout: timeout) { end = try? $0.get() }
        }
        bus.ask(Self.jobs, timeout: timeout) { [name] jobs in
            completion(
                jobs.map { jobs in
                    var ending = UnitEnding(of: name, jobs: jobs, result: result)
                    if let id, let activeState {
                        ending.application = ApplicationEnding(
                            of: id, activeState: activeState, jobs: jobs, result: end ?? "")
                    }
                    return ending
                })
        }
    }

    func member(_ name: String, of interface: String) -> BusMember {
        BusMember(Self.manager, path, "\(Self.manager).\(interface)", name)
    }

    package static let systemSocket = "/run/systemd/private"

    package static var userSocket: String? {
        getenv("XDG_RUNTIME_DIR").map { String(cString: $0) + "/systemd/private" }
    }

    private static var userAddress: String? {
        if let address = getenv("DBUS_SESSION_BUS_ADDRESS") { return String(cString: address) }
        return getenv("XDG_RUNTIME_DIR").map { "unix:path=\(String(cString: $0))/bus" }
    }
}

/// The times that the service manager gives the unit (systemd.service(5)). Nil is no limit.
package nonisolated struct UnitTimeouts: Sendable, Equatable {
    /// `TimeoutStartSec=`, for a launch and a reload.
    package var start: Duration?
    /// `TimeoutStopSec=`, for a stop.
    package var stop: Duration?

    package init(start: Duration?, stop: Duration?) {
        self.start = start
        self.stop = stop
    }

    /// The most that is kept for the exit of the service.
    package static let mostReserved: Duration = .seconds(5)

    /// What listeners may use of a time of the unit: a tenth of it is kept for the exit of the service.
    package static func usable(of time: Duration) -> Duration { time - min(time / 10, mostReserved) }
}
