// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// What systemd hears of the service, and what it sends.
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
                error(type, "\(words) does not fit a service that says READY=1, use Type=notify")
            }
        }
        switch access?.value {
        case nil where !isNotifying, "none" where !isNotifying:
            error(
                access,
                "systemd does not listen to the service: neither status nor watchdog work, use NotifyAccess=main")
        case "all", "exec":
            warning(access, "\(access?.words ?? ""): every process of the unit may speak for it, use NotifyAccess=main")
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
            warning(mode, "\(mode?.words ?? ""): processes may stay behind after a stop, use KillMode=mixed")
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
                "\(key)=\(name) is how systemd \(what), and [Signals] maps it to '\(mapped)' instead of '\(action)'")
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
            "\(restart.words): a service with a wrong configuration is started again and again, use "
                + "RestartPreventExitStatus=78")
    }
}
