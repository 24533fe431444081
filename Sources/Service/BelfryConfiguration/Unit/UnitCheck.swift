// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// Checks a unit against the configuration of the service that it starts: settings that harm the service, and missing
/// settings that the service relies on.
package nonisolated struct UnitCheck: ~Copyable {
    let unit: UnitFile
    /// The configuration; nil if it has errors, in which case nothing is compared with it.
    let settings: BelfrySettings?
    /// The name of the service's files.
    let name: String
    var diagnostics = DiagnosticList()

    private init(_ unit: UnitFile, _ settings: BelfrySettings?, name: String, _ diagnostics: DiagnosticList) {
        self.unit = unit
        self.settings = settings
        self.name = name
        self.diagnostics = diagnostics
    }

    /// Checks a unit with its drop-ins.
    ///
    /// - Parameters:
    ///   - unit: the name of a service, which is searched for in the directories of systemd.unit(5), or, if it contains a
    ///     slash, a path. The drop-ins of a file outside these directories are those in `PATH.d`.
    ///   - settings: the configuration; nil if it has errors.
    ///   - name: the name of the service's files.
    ///   - root: a prefix of the directories of systemd.
    ///   - reader: reads the files.
    /// - Returns: the findings, in the order of files and lines.
    package static func run(
        _ unit: String, against settings: BelfrySettings?, name: String = RuntimePaths.belfry, root: String = "",
        reader: any ConfigurationFileReader = SystemFileReader()
    ) -> [ConfigurationDiagnostic] {
        var diagnostics = DiagnosticList()
        let unit = UnitFile(unit, root: root, reader: reader, diagnostics: &diagnostics)
        guard unit.header != nil else {
            if !diagnostics.hasErrors { diagnostics.error(at: unit.position, "missing section [Service]") }
            return diagnostics.diagnostics
        }
        var check = UnitCheck(unit, settings, name: name, diagnostics)
        check.checkProtocol()
        check.checkSignals()
        check.checkTimes()
        check.checkRestart()
        check.checkDescriptors()
        check.checkState()
        check.checkSandbox()
        return check.diagnostics.sorted(files: unit.files)
    }

    mutating func error(_ setting: UnitSetting?, _ message: String) {
        diagnostics.error(at: setting?.position ?? unit.position, message)
    }

    mutating func warning(_ setting: UnitSetting?, _ message: String) {
        diagnostics.warning(at: setting?.position ?? unit.position, message)
    }

    /// A time span of the unit; `fallback` if it is not set, nil for no limit. Zero means no limit too (systemd.service(5)).
    /// After an invalid value is reported, a value that causes no further findings is returned.
    mutating func time(_ setting: UnitSetting?, unless fallback: Duration?) -> Duration? {
        guard let setting else { return fallback }
        do throws(ValueProblem) {
            let time = try TimeSpanText.parse(setting.value.string)
            return time == .zero ? nil : time
        } catch {
            diagnostics.error(
                at: setting.position(at: error.offset), "invalid value of \(setting.key): \(error.message)")
            return fallback ?? .seconds(30)
        }
    }
}

/// The notification protocol, the signals and restarts.
nonisolated extension UnitCheck {
    private static let notifying: [UTF8Text] = ["notify", "notify-reload"]

    mutating func checkProtocol() {
        let type = unit.last("Type")
        let access = unit.last("NotifyAccess")
        let isNotifying = Self.notifying.contains(type?.value ?? "simple")
        if !isNotifying {
            let words = type?.words ?? "without Type="
            if ["simple", "exec", "idle"].contains(type?.value ?? "simple") {
                warning(type, "\(words) systemd does not wait until the service is ready, use Type=notify")
            } else {
                error(type, "\(words) does not fit a service that sends READY=1, use Type=notify")
            }
        }
        switch access?.value {
        case nil where !isNotifying, "none" where !isNotifying:
            error(
                access,
                "systemd ignores messages of the service: neither status nor watchdog work, use NotifyAccess=main")
        case "all", "exec":
            warning(
                access,
                "\(access?.words ?? ""): every process of the unit may send messages to systemd, use NotifyAccess=main")
        default: break
        }
        if type?.value == "notify", unit.all("ExecReload").isEmpty {
            warning(type, "no ExecReload=: 'systemctl reload' does not work, use ExecReload=belfryctl reload")
        }
        checkKillMode()
    }

    private mutating func checkKillMode() {
        let mode = unit.last("KillMode")
        switch mode?.value ?? "control-group" {
        case "mixed": break
        case "control-group":
            let words = mode?.words ?? "no KillMode=, which is control-group"
            warning(mode, "\(words): the stop signal goes to the service's children too, use KillMode=mixed")
        default:
            warning(mode, "\(mode?.words ?? ""): processes may remain after a stop, use KillMode=mixed")
        }
    }

    mutating func checkSignals() {
        checkSignal("KillSignal", unless: "SIGTERM", is: .stop)
        if unit.last("RestartKillSignal") != nil { checkSignal("RestartKillSignal", unless: "SIGTERM", is: .stop) }
        if unit.last("Type")?.value == "notify-reload" { checkSignal("ReloadSignal", unless: "SIGHUP", is: .reload) }
    }

    private mutating func checkSignal(_ key: UTF8Text, unless name: String, is action: SignalAction) {
        let setting = unit.last(key)
        let name = setting?.value.string ?? name
        do throws(ValueProblem) {
            let number = try SignalName.number(name)
            guard let settings else { return }
            let mapped = settings.signals.actions[number] ?? .ignore
            guard mapped != action else { return }
            let what = action == .stop ? "stops the service" : "reloads the service"
            error(
                setting,
                "\(key)=\(name) is the signal by which systemd \(what), but [Signals] maps it to '\(mapped)' instead of '\(action)'"
            )
        } catch {
            diagnostics.error(
                at: setting?.position(at: error.offset) ?? unit.position, "invalid value of \(key): \(error.message)")
        }
    }

    mutating func checkRestart() {
        let restart = unit.last("Restart")
        guard let restart, ["always", "on-failure"].contains(restart.value) else { return }
        let prevented = unit.words("RestartPreventExitStatus").map(\.word)
        guard !prevented.contains("78"), !prevented.contains("CONFIG") else { return }
        warning(
            restart,
            "\(restart.words): a service with an invalid configuration is restarted again and again, use "
                + "RestartPreventExitStatus=78")
    }
}

/// The timeouts of the configuration against those of the unit.
nonisolated extension UnitCheck {
    /// systemd's own defaults (systemd-system.conf(5)).
    private static let defaultTimeout: Duration = .seconds(90)

    mutating func checkTimes() {
        let stopSetting = unit.last("TimeoutStopSec", "TimeoutSec")
        let startSetting = unit.last("TimeoutStartSec", "TimeoutSec")
        let stop = time(stopSetting, unless: Self.defaultTimeout)
        let start = time(startSetting, unless: Self.defaultTimeout)
        checkWatchdog()
        guard let settings else { return }
        if let stop { checkStop(stop, stopSetting, settings.service) }
        for (name, limit, setting) in [("TimeoutStopSec", stop, stopSetting), ("TimeoutStartSec", start, startSetting)]
        {
            guard let limit else { continue }
            let usable = UnitTime.usable(of: limit)
            guard settings.service.listenerTimeout.map({ $0 > usable }) ?? true else { continue }
            warning(
                setting,
                "\(setting?.words ?? "the default \(name)=90s") leaves listeners \(Self.text(usable)), less than "
                    + "ListenerTimeout=\(Self.text(settings.service.listenerTimeout)) allows one of them")
        }
    }

    private mutating func checkStop(_ stop: Duration, _ setting: UnitSetting?, _ service: ServiceSettings) {
        let words = setting?.words ?? "the default TimeoutStopSec=90s"
        let configured = Self.text(service.stopTimeout)
        if service.stopTimeout.map({ $0 >= stop }) ?? true {
            error(
                setting,
                "\(words) is not more than StopTimeout=\(configured): if the service cannot ask systemd for it, "
                    + "it is killed before the deadlines of its listeners")
        } else if let own = service.stopTimeout, own > UnitTime.usable(of: stop) {
            warning(
                setting,
                "\(words) is hardly more than StopTimeout=\(configured), leave a tenth of it for the service itself")
        }
    }

    private mutating func checkWatchdog() {
        let setting = unit.last("WatchdogSec")
        guard let watchdog = time(setting, unless: nil) else {
            return warning(setting, "no WatchdogSec=: systemd does not detect that the service hangs")
        }
        guard watchdog < .seconds(1) else { return }
        warning(setting, "\(setting?.words ?? ""): the service wakes up twice in this time, use a second or more")
    }

    private static func text(_ time: Duration?) -> String {
        guard let time else { return "infinity" }
        let milliseconds = Int64(time / .milliseconds(1))
        return milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}

/// The share of a timeout of the unit that listeners may use.
package nonisolated enum UnitTime {
    /// The time without the reserve for the exit of the service: a tenth of it, at most 5 s.
    package static func usable(of time: Duration) -> Duration { time - min(time / 10, .seconds(5)) }
}
