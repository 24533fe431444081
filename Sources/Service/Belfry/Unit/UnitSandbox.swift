// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryJSON
internal import BelfrySystemd

/// The access to paths inside a unit, by its properties (systemd.exec(5)).
nonisolated struct UnitSandbox {
    /// The access to a path.
    enum Access {
        /// Reading, and writing if permissions allow it.
        case writable
        /// Only reading, because of this setting.
        case readOnly(String)
        /// None, because of this setting.
        case inaccessible(String)
        /// Full access to a private directory in its place, because of this setting.
        case ownCopy(String)
    }

    private var rules: [(prefix: String, access: Access)] = []

    init(_ unit: UnitProperties, _ directories: UnitDirectories) {
        protectSystem(unit.text("ProtectSystem"))
        protectHome(unit.text("ProtectHome"))
        if unit.isOn("PrivateTmp") { add(["/tmp", "/var/tmp"], .ownCopy("PrivateTmp=")) }
        let mounts = unit.list("TemporaryFileSystem").compactMap { $0.elements.first?.text }
        for path in mounts { add([path], .ownCopy(DisplayText.cut("TemporaryFileSystem=\(path)"))) }
        add(unit.texts("ReadWritePaths"), .writable)
        // Source, destination, whether it may be missing, options.
        add(unit.list("BindPaths").compactMap { $0.elements.dropFirst().first?.text }, .writable)
        for path in unit.texts("ReadOnlyPaths") { add([path], .readOnly(DisplayText.cut("ReadOnlyPaths=\(path)"))) }
        for path in unit.texts("InaccessiblePaths") {
            add([path], .inaccessible(DisplayText.cut("InaccessiblePaths=\(path)")))
        }
        for key in UnitDirectories.keys { add(directories.made(key, by: unit), .writable) }
    }

    /// The access to a path: by the rule with the longest prefix, and of several such rules the last.
    func access(to path: String) -> Access {
        var best: (length: Int, access: Access) = (-1, .writable)
        for rule in rules where AbsolutePath.isPath(path, below: rule.prefix) {
            if rule.prefix.utf8.count >= best.length { best = (rule.prefix.utf8.count, rule.access) }
        }
        return best.access
    }

    /// Paths may have the prefixes `-` and `+`.
    private mutating func add(_ paths: [String], _ access: Access) {
        for path in paths {
            let bare = path.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
            rules.append((AbsolutePath.withoutSlash(String(Substring(bare))), access))
        }
    }

    private mutating func protectSystem(_ level: String) {
        let access = Access.readOnly("ProtectSystem=\(level)")
        switch level {
        case "strict":
            add(["/"], access)
            add(["/dev", "/proc", "/sys"], .writable)
        case "full": add(["/usr", "/boot", "/efi", "/etc"], access)
        case "yes": add(["/usr", "/boot", "/efi"], access)
        default: break
        }
    }

    private mutating func protectHome(_ level: String) {
        let setting = "ProtectHome=\(level)"
        let access: [String: Access] = [
            "read-only": .readOnly(setting), "tmpfs": .ownCopy(setting), "yes": .inaccessible(setting),
        ]
        if let access = access[level] { add(["/home", "/root", "/run/user"], access) }
    }
}

/// Where a manager makes the directories of a unit, such as that of `StateDirectory=` (systemd.exec(5)).
nonisolated struct UnitDirectories {
    /// Whether the manager is that of a user.
    let isOfUser: Bool
    /// The name of the service's files.
    private let name: String
    private let environment: [String: String]
    private let roots: [String: String]

    /// Of the system's manager, or of that of a user with this environment.
    init(name: String, ofUser environment: [String: String]? = nil) {
        self.name = name
        isOfUser = environment != nil
        self.environment = environment ?? [:]
        guard let environment else {
            roots = [
                "RuntimeDirectory": "/run", "StateDirectory": "/var/lib", "CacheDirectory": "/var/cache",
                "LogsDirectory": "/var/log",
            ]
            return
        }
        let home = environment["HOME"] ?? ""
        let state = environment["XDG_STATE_HOME"] ?? "\(home)/.local/state"
        roots = [
            "RuntimeDirectory": environment["XDG_RUNTIME_DIR"] ?? "", "StateDirectory": state,
            "CacheDirectory": environment["XDG_CACHE_HOME"] ?? "\(home)/.cache", "LogsDirectory": "\(state)/log",
        ]
    }

    /// The settings that name directories.
    static let keys = ["RuntimeDirectory", "StateDirectory", "CacheDirectory", "LogsDirectory"]

    /// The directories that the manager makes for a setting of the unit.
    func made(_ key: String, by unit: UnitProperties) -> [String] {
        unit.texts(key).map { "\(roots[key] ?? "")/\($0)" }
    }

    /// The runtime directory of a service whose unit has none.
    func usualRuntime(isRoot: Bool) -> String {
        RuntimePaths(environment: environment, uid: isRoot && !isOfUser ? 0 : 65534, name: name).runtimeDirectory
    }
}
