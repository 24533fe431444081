// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// Whether what the service needs is left to it.
nonisolated extension UnitCheck {
    mutating func checkDescriptors() {
        let store = unit.last("FileDescriptorStoreMax")
        if store.flatMap({ Int($0.value.string) }) ?? 0 == 0 {
            warning(store, "no FileDescriptorStoreMax=: what the service stores over a restart is refused")
        }
        guard let socket = settings?.socket, socket.isEnabled else { return }
        let limit = unit.last("LimitNOFILE")
        // The service raises the soft limit itself; by default the hard one is 524288. A suffix is that of a size, as in
        // systemd.exec(5).
        guard let limit, let last = limit.value.string.unicodeScalars.split(separator: ":").last,
            let hard = (try? ByteSizeText.parse(String(last))) ?? nil, hard < UInt64(socket.connectionsMax) + 512
        else { return }
        warning(limit, "\(limit.words) is too little for ConnectionsMax=\(socket.connectionsMax) and what else is open")
    }

    /// What it has logged is read back for subscribers who ask for more than is in memory. Distributions let the second
    /// and the third of these groups read the journal too (systemd-journald.service(8)).
    mutating func checkJournal() {
        guard let settings, settings.socket.isEnabled, settings.logger.isEnabled,
            [.auto, .journal].contains(settings.logger.target), !isRoot
        else { return }
        let groups = unit.words("SupplementaryGroups").map(\.word) + [unit.last("Group")?.value].compactMap { $0 }
        guard Set(["systemd-journal", "adm", "wheel"]).isDisjoint(with: groups) else { return }
        warning(
            unit.last("SupplementaryGroups") ?? unit.last("User"),
            "no SupplementaryGroups=systemd-journal: subscribers get nothing back that is in the journal alone")
    }

    mutating func checkState() {
        guard let settings, stateDirectory(settings) == nil else { return }
        warning(
            unit.last("StateDirectory"),
            "no StateDirectory=: the exit record of the service is not kept, or taken for that of another one")
    }

    /// The directory that is the service's own.
    private func stateDirectory(_ settings: BelfrySettings) -> String? {
        settings.service.stateDirectory ?? directory("StateDirectory", below: "/var/lib")
    }

    /// The first directory of a key that has systemd make it (systemd.exec(5)).
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
                    "\(setting.words) makes \(DisplayText.quoted(need.path)) read-only, which \(need.who) writes to"
                        + "\(need.remedy), or use ReadWritePaths=\(DisplayText.cut(need.path))")
            case .inaccessible(let setting):
                error(
                    setting, "\(setting.words) hides \(DisplayText.quoted(need.path)), which \(need.who) needs")
            case .ownCopy(let setting):
                warning(
                    setting,
                    "\(setting.words) gives the service a \(DisplayText.quoted(need.path)) of its own, which "
                        + "is not the one that \(need.who) is meant for")
            }
        }
    }

    private struct Need {
        let path: String
        let who: String
        var remedy = ""
    }

    /// What listeners write to.
    private func needs(_ settings: BelfrySettings) -> [Need] {
        let runtime = RuntimePaths(
            environment: [:], uid: isRoot ? 0 : 65534,
            runtimeDirectory: settings.service.runtimeDirectory ?? directory("RuntimeDirectory", below: "/run")
        ).runtimeDirectory
        var needs = [Need(path: runtime, who: "the service", remedy: ": use RuntimeDirectory=")]
        if let state = stateDirectory(settings) {
            needs.append(Need(path: state, who: "the service", remedy: ": use StateDirectory="))
        }
        if settings.socket.isEnabled, let path = settings.socket.path, path.utf8.first == UInt8(ascii: "/") {
            let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
            needs.append(Need(path: end == path.startIndex ? "/" : String(path[..<end]), who: "the socket"))
        }
        needs += settings.caches.map { Need(path: $0.path, who: "[Cache \(DisplayText.cut($0.name))]") }
        return needs.filter { !$0.path.utf8.contains(UInt8(ascii: "%")) }
    }

    /// Who sends a signal, and who calls, is seen in /proc and by uid.
    private mutating func checkSenders() {
        if unit.isOn("PrivateUsers") {
            warning(unit.last("PrivateUsers"), "PrivateUsers= hides who a client is: all but root are nobody")
        }
        if let setting = unit.last("ProtectProc"), setting.value != "default" {
            warning(setting, "\(setting.words) hides who sends a signal")
        }
        if let setting = unit.last("ProcSubset"), setting.value == "pid" {
            warning(setting, "\(setting.words) hides the memory pressure, and the mount points")
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
            "\(first.setting.words) leaves out AF_UNIX, over which the service speaks to systemd and to clients")
    }
}

/// What the file system looks like from inside the unit, as far as its settings say (systemd.exec(5)).
nonisolated struct UnitSandbox {
    /// What the service can do with a path.
    enum Access {
        /// Read and, permissions allowing, write.
        case writable
        /// Only read, because of this setting.
        case readOnly(UnitSetting)
        /// Nothing, because of this setting.
        case inaccessible(UnitSetting)
        /// What it wants, in a copy that only it sees, because of this setting.
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

    /// What holds for a path: the rule for the longest part of it, and of several the last.
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

    /// A path without the marks in front of it and the options behind it.
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
