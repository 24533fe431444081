// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// Whether the times of the configuration fit those of the unit.
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
                "\(words) is not more than StopTimeout=\(configured): where the service cannot ask systemd for it, "
                    + "it is killed before its listeners are cut")
        } else if let own = service.stopTimeout, own > UnitTime.usable(of: stop) {
            warning(
                setting,
                "\(words) is hardly more than StopTimeout=\(configured), leave the service a tenth of it to end")
        }
    }

    private mutating func checkWatchdog() {
        let setting = unit.last("WatchdogSec")
        guard let watchdog = time(setting, unless: nil) else {
            return warning(setting, "no WatchdogSec=: systemd does not notice a service that hangs")
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

/// What a service can do with the times of its unit.
package nonisolated enum UnitTime {
    /// What of a time of the unit listeners can have: all but a tenth of it, at most 5 s, which is for the way out.
    package static func usable(of time: Duration) -> Duration { time - min(time / 10, .seconds(5)) }
}
