// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// Which files make up a service unit of the system's manager (systemd.unit(5)). Other names of it are not looked for.
nonisolated struct UnitPaths {
    /// Where the unit may lie, the most important first; the first that is there is the unit.
    let files: [String]
    /// The directories of its drop-ins, the most important first.
    let dropInDirectories: [String]

    /// The paths of a unit.
    ///
    /// - Parameters:
    ///   - unit: The name of a unit, with `.service` or without; or, with a slash in it, a path. The drop-ins of a file
    ///     where systemd looks for units are those of its name, the drop-ins of another are in `PATH.d`.
    ///   - root: Stands before the directories where systemd looks.
    init(_ unit: String, root: String = "") {
        let directories = Self.directories.map { root + $0 }
        let slash = unit.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = unit[(slash.map { unit.utf8.index(after: $0) } ?? unit.startIndex)...]
        let (prefix, instance) = Self.parts(of: name)
        files =
            slash != nil
            ? [unit] : Self.names(prefix, instance).flatMap { name in directories.map { "\($0)/\(name)" } }
        if let slash, !directories.contains(where: String(unit[..<slash]).hasSameBytes) {
            dropInDirectories = [unit + ".d"]
        } else {
            let names = Self.beginnings(of: prefix).flatMap { Self.names($0, instance) }
            // Those for every service are less important, wherever they lie.
            dropInDirectories =
                directories.flatMap { directory in names.map { "\(directory)/\($0).d" } }
                + directories.map { "\($0)/service.d" }
        }
    }

    /// `PREFIX` or `PREFIX@INSTANCE`, as in the name of a unit.
    private static func parts(of name: Substring) -> (prefix: Substring, instance: Substring?) {
        let suffix = ".service".utf8
        let bare = name.utf8.suffix(suffix.count).elementsEqual(suffix) ? name.utf8.dropLast(suffix.count) : name.utf8
        guard let at = bare.firstIndex(of: UInt8(ascii: "@")) else { return (Substring(bare), nil) }
        return (Substring(bare[..<at]), Substring(bare[bare.index(after: at)...]))
    }

    /// The name, and after that of an instance the name of its template.
    private static func names(_ prefix: Substring, _ instance: Substring?) -> [String] {
        switch instance {
        case nil: ["\(prefix).service"]
        case "": ["\(prefix)@.service"]
        case let instance?: ["\(prefix)@\(instance).service", "\(prefix)@.service"]
        }
    }

    /// `a-b-c`, `a-b-` and `a-`, each of which can have drop-ins.
    private static func beginnings(of prefix: Substring) -> [Substring] {
        var found = [prefix]
        while let dash = found.last?.utf8.dropLast().lastIndex(of: UInt8(ascii: "-")) {
            found.append(Substring(prefix.utf8[...dash]))
        }
        return found
    }

    /// Where systemd looks, the most important first. /lib is a link to the directory before it, or looked into as well.
    private static let directories = [
        "/etc/systemd/system.control", "/run/systemd/system.control", "/run/systemd/transient",
        "/run/systemd/generator.early", "/etc/systemd/system", "/etc/systemd/system.attached", "/run/systemd/system",
        "/run/systemd/system.attached", "/run/systemd/generator", "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system", "/lib/systemd/system", "/run/systemd/generator.late",
    ]
}
