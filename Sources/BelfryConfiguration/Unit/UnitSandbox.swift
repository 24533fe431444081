// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

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
