// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop

/// Follows the state of another unit, as its manager tells it (org.freedesktop.systemd1(5)).
@MainActor
package final class UnitWatch {
    /// The state of a unit.
    package nonisolated struct State: Sendable, Equatable {
        /// The unit's own name, which an alias leads to.
        package let id: String
        /// `active`, `inactive`, `failed`, …
        package let activeState: String
        /// What that means for its type, `running`.
        package let subState: String
        /// How it ended, `success`.
        package let result: String
        /// The id of its present run in hexadecimal digits; empty without one.
        package let invocationID: String
        /// Its control group below the root of all; empty without one.
        package let controlGroup: String
        /// The number of its job that waits or is under way; 0 for none.
        let job: Int64
        /// The units that stop with it.
        package let boundBy: [String]
        /// How it reloads.
        package let reload: UnitProperties

        package init(_ properties: UnitProperties) {
            id = properties.text("Id")
            activeState = properties.text("ActiveState")
            subState = properties.text("SubState")
            result = properties.text("Result")
            controlGroup = properties.text("ControlGroup")
            job = if case .number(let number) = properties.list("Job").first { number } else { 0 }
            boundBy = properties.texts("BoundBy")
            reload = properties.reload
            invocationID = properties.list("InvocationID").map { byte in
                guard case .number(let number) = byte else { return "" }
                let digits = String(number, radix: 16)
                return digits.utf8.count < 2 ? "0" + digits : digits
            }.joined()
        }

        /// Whether it runs.
        package var isActive: Bool { UnitProperties.isActive(activeState) }

        /// Whether it is active without a process, as with `RemainAfterExit=`.
        package var isWithoutProcesses: Bool { isActive && (subState == "exited" || controlGroup.isEmpty) }

        /// Nearly as systemctl(1) says it: `active (running)`, `failed (Result: signal)`.
        package var text: String {
            let isClear = activeState != "failed" || result.isEmpty
            return "\(activeState) (\(isClear ? subState : "Result: \(result)"))"
        }
    }

    /// The state; nil while the manager cannot be asked.
    package private(set) var state: State?

    private let unit: ServiceManagerUnit
    private let onChange: () -> Void
    /// The changes of the unit with this own name.
    private var match: (id: String, BusMatch)?
    /// When a question that was not answered is asked again.
    private var retry: TimerEventSource?
    /// Whether an answer is awaited, and whether something has changed since it was asked for.
    private var reading: (isUnderWay: Bool, isDue: Bool) = (false, false)

    /// Follows the unit `name` on the bus of its manager, which somebody connects.
    ///
    /// - Parameter onChange: called when the state has changed.
    package init(_ name: String, on bus: SystemBus, onChange: @escaping () -> Void) {
        unit = ServiceManagerUnit(name: name, on: bus)
        self.onChange = onChange
        bus.addObserver { [weak self] isReady in isReady ? self?.begin() : self?.lose() }
    }

    private func begin() {
        // Without it the manager sends no signals about units.
        let manager = ServiceManagerUnit.manager
        let subscribe = BusMember(manager, ServiceManagerUnit.managerPath, "\(manager).Manager", "Subscribe")
        unit.bus.ask(BusQuestion(subscribe) { _ in }) { [weak self] in
            if case .failure(let error) = $0, error.name != "\(manager).AlreadySubscribed" { self?.beginLater() }
        }
        reading = (false, false)
        read()
    }

    private func lose() {
        reading = (false, false)
        set(nil)
    }

    /// Reads the state, once for all changes that come meanwhile.
    package func read() {
        guard !reading.isUnderWay else { return reading.isDue = true }
        reading = (true, false)
        unit.bus.ask(unit.properties) { [weak self] answer in
            guard let self else { return }
            let isDue = reading.isDue
            reading = (false, false)
            switch answer {
            case .success(let properties): receive(State(properties))
            case .failure: beginLater()
            }
            if isDue { read() }
        }
    }

    /// systemd does not answer while it executes itself anew.
    private func beginLater() {
        guard unit.bus.isReady else { return }
        retry = try? unit.bus.loop.timer(after: .seconds(1)) { [weak self] in self?.begin() }
    }

    private func receive(_ new: State) {
        // Signals come from the object of the unit itself, not from that of an alias.
        if match?.id != new.id {
            let path = ServiceManagerUnit(name: new.id, on: unit.bus).path
            let changes = BusMember(
                ServiceManagerUnit.manager, path, "org.freedesktop.DBus.Properties", "PropertiesChanged")
            // Not of the interface Service: a unit may change its status text as often as it likes.
            let interface = "\(ServiceManagerUnit.manager).Unit"
            match = (new.id, unit.bus.match(changes, firstArgument: interface) { [weak self] _ in self?.read() })
            // What has changed before the match was in place.
            read()
        }
        set(new)
    }

    private func set(_ new: State?) {
        guard new != state else { return }
        state = new
        onChange()
    }
}
