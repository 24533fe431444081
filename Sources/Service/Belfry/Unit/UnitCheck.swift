// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle

/// Checks a loaded unit against the configuration of the service that it starts: settings that harm the service, and
/// missing settings that the service relies on.
nonisolated struct UnitCheck {
    let unit: UnitProperties
    let settings: BelfrySettings

    /// One thing that is checked.
    typealias Rule = @Sendable (UnitCheck) -> [UnitFinding]

    /// Everything that is checked, in the order in which it is reported.
    static let rules: [Rule] = [
        freshness, type, notifyAccess, execReload, killMode, signals, stopTimeout, listenerTimeouts, watchdog, restart,
        descriptorStore, senders, addressFamilies,
    ]

    /// All findings. Of a unit that the manager could not load, that is the only one.
    var findings: [UnitFinding] {
        switch unit.text("LoadState") {
        case "loaded": Self.rules.flatMap { $0(self) }
        case "not-found": [.error("systemd finds no such unit")]
        case "masked": [.error("the unit is masked")]
        case let state:
            [
                .error(
                    "systemd could not load the unit (\(state)): "
                        + "\(DisplayText.cut(unit.list("LoadError").last?.text ?? ""))"
                )
            ]
        }
    }
}

/// A setting of a unit that does not fit.
nonisolated struct UnitFinding: CustomStringConvertible {
    let severity: ConfigurationDiagnostic.Severity
    let message: String

    var description: String { "\(severity.rawValue): \(message)" }

    static func error(_ message: String) -> Self { Self(severity: .error, message: message) }
    static func warning(_ message: String) -> Self { Self(severity: .warning, message: message) }
}

/// The notification protocol, the signals and restarts.
nonisolated extension UnitCheck {
    private var isNotifying: Bool { ["notify", "notify-reload"].contains(unit.text("Type")) }

    static let freshness: Rule = {
        $0.unit.isOn("NeedDaemonReload")
            ? [.warning("its files have changed since systemd read them, use 'systemctl daemon-reload'")] : []
    }

    static let type: Rule = {
        let type = $0.unit.text("Type")
        if $0.isNotifying { return [] }
        return ["simple", "exec", "idle"].contains(type)
            ? [.warning("Type=\(type): systemd does not wait until the service is ready, use Type=notify")]
            : [.error("Type=\(type) does not fit a service that sends READY=1, use Type=notify")]
    }

    static let notifyAccess: Rule = {
        switch $0.unit.text("NotifyAccess") {
        case "none":
            [.error("systemd ignores messages of the service: neither status nor watchdog work, use NotifyAccess=main")]
        case "all", "exec":
            [
                .warning(
                    "NotifyAccess=\($0.unit.text("NotifyAccess")): every process of the unit may send messages to "
                        + "systemd, use NotifyAccess=main")
            ]
        default: []
        }
    }

    static let execReload: Rule = {
        $0.unit.text("Type") == "notify" && $0.unit.list("ExecReload").isEmpty
            ? [.warning("no ExecReload=: 'systemctl reload' does not work, use ExecReload=belfryctl reload")] : []
    }

    static let killMode: Rule = {
        switch $0.unit.text("KillMode") {
        case "mixed": []
        case "control-group":
            [
                .warning(
                    "KillMode=control-group: the stop signal goes to the service's children too, use KillMode=mixed")
            ]
        case let mode: [.warning("KillMode=\(mode): processes may remain after a stop, use KillMode=mixed")]
        }
    }

    static let signals: Rule = { check in
        let reloads = check.unit.text("Type") == "notify-reload"
        let uses: [(key: String, verb: String, action: SignalAction)] =
            [("KillSignal", "stops", .stop), ("RestartKillSignal", "stops", .stop)]
            + (reloads ? [("ReloadSignal", "reloads", .reload)] : [])
        return uses.compactMap { key, verb, action -> UnitFinding? in
            let number = Int32(clamping: check.unit.number(key))
            // RestartKillSignal= is KillSignal= unless it is set.
            if key == "RestartKillSignal", check.unit.number(key) == check.unit.number("KillSignal") { return nil }
            let mapped = check.settings.signals.actions[number] ?? .ignore
            if number == 0 || mapped == action { return nil }
            return .error(
                "\(key)=\(SignalName.full(number)) is the signal by which systemd \(verb) the service, "
                    + "but [Signals] maps it to '\(mapped)' instead of '\(action)'")
        }
    }

    static let restart: Rule = {
        let restart = $0.unit.text("Restart")
        let prevented = $0.unit.list("RestartPreventExitStatus").first?.elements ?? []
        guard ["always", "on-failure"].contains(restart), !prevented.contains(.number(78)) else { return [] }
        return [
            .warning(
                "Restart=\(restart): a service with an invalid configuration is restarted again and again, use "
                    + "RestartPreventExitStatus=78")
        ]
    }
}

/// Times.
nonisolated extension UnitCheck {
    static let stopTimeout: Rule = {
        guard let stop = $0.unit.time("TimeoutStopUSec") else { return [] }
        let own = $0.settings.service.stopTimeout
        let (key, words) = ("TimeoutStopSec=\(text(stop))", "StopTimeout=\(text(own))")
        guard let own, own < stop else {
            return [
                .error(
                    "\(key) is not more than \(words): if the service cannot ask systemd for it, it is killed before "
                        + "the deadlines of its listeners")
            ]
        }
        return own > UnitTimeouts.usable(of: stop)
            ? [.warning("\(key) is hardly more than \(words), leave a tenth of it for the service itself")] : []
    }

    static let listenerTimeouts: Rule = { check in
        let own = check.settings.service.listenerTimeout
        return ["TimeoutStop", "TimeoutStart"].compactMap { key -> UnitFinding? in
            guard let limit = check.unit.time("\(key)USec") else { return nil }
            let usable = UnitTimeouts.usable(of: limit)
            if let own, own <= usable { return nil }
            return .warning(
                "\(key)Sec=\(text(limit)) leaves listeners \(text(usable)), less than ListenerTimeout=\(text(own)) "
                    + "allows one of them")
        }
    }

    /// systemd tells it of a unit that runs; of one that was never started it says 0 (systemd 257).
    static let watchdog: Rule = {
        guard let watchdog = $0.unit.time("WatchdogUSec") else {
            return $0.unit.text("ActiveState") != "active"
                ? [] : [.warning("no WatchdogSec=: systemd does not detect that the service hangs")]
        }
        return watchdog < .seconds(1)
            ? [.warning("WatchdogSec=\(text(watchdog)): the service wakes up twice in this time, use a second or more")]
            : []
    }

    private static func text(_ time: Duration?) -> String {
        guard let time else { return "infinity" }
        let milliseconds = time.wholeMicroseconds / 1000
        return milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}

/// Resources and permissions.
nonisolated extension UnitCheck {
    static let descriptorStore: Rule = {
        $0.unit.number("FileDescriptorStoreMax") == 0
            ? [
                .warning(
                    "no FileDescriptorStoreMax=: systemd does not keep descriptors of the service over a restart")
            ] : []
    }

    /// Senders and clients are identified by /proc and by uid.
    static let senders: Rule = {
        var found: [UnitFinding] = []
        if $0.unit.isOn("PrivateUsers") {
            found.append(.warning("PrivateUsers= hides the users of clients: all but root appear as nobody"))
        }
        let (processes, files) = ($0.unit.text("ProtectProc"), $0.unit.text("ProcSubset"))
        if !["", "default"].contains(processes) {
            found.append(.warning("ProtectProc=\(processes) hides the senders of signals"))
        }
        if files == "pid" { found.append(.warning("ProcSubset=pid hides memory pressure and mount points")) }
        return found
    }

    static let addressFamilies: Rule = {
        guard $0.settings.socket.isEnabled || $0.settings.logger.target != .stderr,
            case let parts = $0.unit.list("RestrictAddressFamilies"), parts.count == 2,
            case let (isAllowed, named) = (parts[0] == .boolean(true), parts[1].elements.contains(.text("AF_UNIX"))),
            isAllowed != named
        else { return [] }
        return [
            .error(
                "RestrictAddressFamilies= does not allow AF_UNIX, which the service needs for systemd and for clients")
        ]
    }
}
