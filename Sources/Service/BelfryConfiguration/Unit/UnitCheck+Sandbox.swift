// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// The resources and permissions that the service needs.
nonisolated extension UnitCheck {
    mutating func checkDescriptors() {
        let store = unit.last("FileDescriptorStoreMax")
        if store.flatMap({ Int($0.value.string) }) ?? 0 == 0 {
            warning(
                store, "no FileDescriptorStoreMax=: systemd does not keep descriptors of the service over a restart")
        }
        guard let socket = settings?.socket, socket.isEnabled else { return }
        let limit = unit.last("LimitNOFILE")
        // The service raises the soft limit itself; the default hard limit is 524288. Suffixes are those of sizes
        // (systemd.exec(5)).
        guard let limit, let last = limit.value.string.unicodeScalars.split(separator: ":").last,
            let hard = (try? ByteSizeText.parse(String(last))) ?? nil, hard < UInt64(socket.connectionsMax) + 512
        else { return }
        warning(
            limit, "\(limit.words) is too small for ConnectionsMax=\(socket.connectionsMax) and the other descriptors")
    }

    mutating func checkState() {
        guard let settings, stateDirectory(settings) == nil else { return }
        warning(
            unit.last("StateDirectory"),
            "no StateDirectory=: the exit record is not stored, or mistaken for that of another service")
    }

    private func stateDirectory(_ settings: BelfrySettings) -> String? {
        settings.service.stateDirectory ?? directory("StateDirectory", below: "/var/lib")
    }

    /// The first directory of a key such as `StateDirectory=` (systemd.exec(5)).
    private func directory(_ key: UTF8Text, below root: String) -> String? {
        unit.words(key).first.map { "\(root)/" + String($0.word.string.unicodeScalars.prefix { $0 != ":" }) }
    }

    private var isRoot: Bool {
        ["root", "0"].contains(unit.last("User")?.value ?? "root") && !unit.isOn("DynamicUser")
    }

    mutating func checkSandbox() {
        checkSenders()
        guard let settings else { return }
        let sandbox = UnitSandbox(unit)
        if settings.socket.isEnabled || settings.logger.target != .stderr { checkFamilies() }
        for need in needs(settings) {
            switch sandbox.access(to: need.path) {
            case .writable: break
            case .readOnly(let setting):
                error(
                    setting,
                    "\(setting.words) makes \(DisplayText.quoted(need.path)) read-only, which \(need.who) writes to: "
                        + "\(need.remedy)use ReadWritePaths=-\(DisplayText.cut(need.path)) in a drop-in")
            case .inaccessible(let setting):
                error(
                    setting, "\(setting.words) hides \(DisplayText.quoted(need.path)), which \(need.who) needs")
            case .ownCopy(let setting):
                warning(
                    setting,
                    "\(setting.words) gives the service a private \(DisplayText.quoted(need.path)), "
                        + "not the one that \(need.who) is for")
            }
        }
    }

    private struct Need {
        let path: String
        let who: String
        var remedy = ""
    }

    /// The paths that the service writes to.
    private func needs(_ settings: BelfrySettings) -> [Need] {
        let runtime = RuntimePaths(
            environment: [:], uid: isRoot ? 0 : 65534, name: name,
            runtimeDirectory: settings.service.runtimeDirectory ?? directory("RuntimeDirectory", below: "/run")
        ).runtimeDirectory
        var needs = [Need(path: runtime, who: "the service", remedy: "use RuntimeDirectory=, or ")]
        if let state = stateDirectory(settings) {
            needs.append(Need(path: state, who: "the service", remedy: "use StateDirectory=, or "))
        }
        if settings.socket.isEnabled, let path = settings.socket.path, path.utf8.first == UInt8(ascii: "/") {
            let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
            needs.append(Need(path: end == path.startIndex ? "/" : String(path[..<end]), who: "the socket"))
        }
        for cache in settings.caches {
            let who = "[Cache \(DisplayText.cut(cache.name))]"
            needs += cache.paths.map { Need(path: PathPattern($0).prefix, who: who) }
        }
        return needs.filter { !$0.path.utf8.contains(UInt8(ascii: "%")) }
    }

    /// Senders and clients are identified by /proc and by uid.
    private mutating func checkSenders() {
        if unit.isOn("PrivateUsers") {
            warning(
                unit.last("PrivateUsers"), "PrivateUsers= hides the users of clients: all but root appear as nobody")
        }
        if let setting = unit.last("ProtectProc"), setting.value != "default" {
            warning(setting, "\(setting.words) hides the senders of signals")
        }
        if let setting = unit.last("ProcSubset"), setting.value == "pid" {
            warning(setting, "\(setting.words) hides memory pressure and mount points")
        }
    }

    private mutating func checkFamilies() {
        let words = unit.words("RestrictAddressFamilies")
        guard let first = words.first else { return }
        let isDenied = first.word.string.utf8.first == UInt8(ascii: "~")
        let isNamed = words.contains { $0.word == "AF_UNIX" || $0.word == "~AF_UNIX" }
        guard isNamed == isDenied else { return }
        error(
            first.setting,
            "\(first.setting.words) does not allow AF_UNIX, which the service needs for systemd and for clients")
    }
}

/// The access to paths inside the unit, by its settings (systemd.exec(5)).
nonisolated struct UnitSandbox {
    /// The access to a path.
    enum Access {
        /// Reading, and writing if permissions allow it.
        case writable
        /// Only reading, because of this setting.
        case readOnly(UnitSetting)
        /// None, because of this setting.
        case inaccessible(UnitSetting)
        /// Full access to a private directory in its place, because of this setting.
        case ownCopy(UnitSetting)
    }

    private var rules: [(prefix: String, access: Access)] = []

    init(_ unit: UnitFile) {
        protectSystem(unit)
        protectHome(unit)
        if unit.isOn("PrivateTmp") || unit.last("PrivateTmp")?.value == "disconnected",
            let setting = unit.last("PrivateTmp")
        {
            for path in ["/tmp", "/var/tmp"] { rules.append((path, .ownCopy(setting))) }
        }
        for (word, setting) in unit.words("TemporaryFileSystem") {
            rules.append((Self.path(word.string), .ownCopy(setting)))
        }
        for key: UTF8Text in ["ReadWritePaths", "BindPaths"] {
            for (word, _) in unit.words(key) { rules.append((Self.destination(word.string), .writable)) }
        }
        for (word, setting) in unit.words("ReadOnlyPaths") {
            rules.append((Self.path(word.string), .readOnly(setting)))
        }
        for (word, setting) in unit.words("InaccessiblePaths") {
            rules.append((Self.path(word.string), .inaccessible(setting)))
        }
        let made: [(key: UTF8Text, root: String)] = [
            ("RuntimeDirectory", "/run"), ("StateDirectory", "/var/lib"), ("CacheDirectory", "/var/cache"),
            ("LogsDirectory", "/var/log"),
        ]
        for (key, root) in made {
            for (word, _) in unit.words(key) {
                let name = String(word.string.unicodeScalars.prefix { $0 != ":" })
                rules.append(("\(root)/\(name)", .writable))
            }
        }
    }

    /// The access to a path: by the rule with the longest prefix, and of several such rules the last.
    func access(to path: String) -> Access {
        var best: (length: Int, access: Access) = (-1, .writable)
        for rule in rules where AbsolutePath.isPath(path, below: rule.prefix) {
            if rule.prefix.utf8.count >= best.length { best = (rule.prefix.utf8.count, rule.access) }
        }
        return best.access
    }

    private mutating func protectSystem(_ unit: UnitFile) {
        let isDynamic = unit.isOn("DynamicUser")
        guard let setting = unit.last("ProtectSystem") ?? (isDynamic ? unit.last("DynamicUser") : nil) else { return }
        let level = setting.key == "DynamicUser" ? "strict" : setting.value
        if level == "strict" {
            rules.append(("/", .readOnly(setting)))
            for path in ["/dev", "/proc", "/sys"] { rules.append((path, .writable)) }
        } else if level == "full" || setting.isTrue {
            for path in ["/usr", "/boot", "/efi"] + (level == "full" ? ["/etc"] : []) {
                rules.append((path, .readOnly(setting)))
            }
        }
    }

    private mutating func protectHome(_ unit: UnitFile) {
        guard let setting = unit.last("ProtectHome") else { return }
        let access: Access
        switch setting.value {
        case "read-only": access = .readOnly(setting)
        case "tmpfs": access = .ownCopy(setting)
        case _ where setting.isTrue: access = .inaccessible(setting)
        default: return
        }
        for path in ["/home", "/root", "/run/user"] { rules.append((path, access)) }
    }

    /// A path without its prefix characters and options.
    private static func path(_ word: String) -> String {
        let path = word.unicodeScalars.drop { $0 == "-" || $0 == "+" }.prefix { $0 != ":" }
        return AbsolutePath.withoutSlash(String(path))
    }

    /// The second path of `source:destination:options`, or the only one.
    private static func destination(_ word: String) -> String {
        let parts = word.unicodeScalars.split(separator: ":")
        return path(parts.count > 1 && parts[1].first == "/" ? String(parts[1]) : word)
    }
}
