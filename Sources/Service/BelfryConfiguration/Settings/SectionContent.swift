// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux

/// The assignments of one section in all files, and which of them count: those after the last empty one, and of a key that is
/// no list only the last.
package nonisolated struct SectionContent: Sendable {
    /// The most words of a list.
    static let longestList = 1024

    /// What is printed for one key.
    typealias PrintedKey = (name: UTF8Text, isList: Bool, defaultText: String?)

    /// What is in the brackets.
    let title: String
    /// Where the section begins; nil if no file has it.
    var position: ConfigurationPosition?
    /// The keys that are set, in the order of the files.
    private(set) var keys: [UTF8Text] = []
    private var entries: [UTF8Text: [IniEntry]] = [:]

    /// A section without assignments.
    init(title: String) { self.title = title }

    /// Adds an assignment of `key`, which is the one spelling of all its spellings.
    mutating func add(_ entry: IniEntry, of key: UTF8Text) {
        if entries[key] == nil { keys.append(key) }
        entries[key, default: []].append(entry)
    }

    /// All assignments of a key, in the order of the files.
    func all(_ key: UTF8Text) -> [IniEntry] { entries[key] ?? [] }

    /// The assignments of a key after the last empty one.
    func counted(_ key: UTF8Text) -> ArraySlice<IniEntry> {
        let all = all(key)
        return all[(all.lastIndex(where: \.isEmpty).map { $0 + 1 } ?? 0)...]
    }

    /// The assignments that make the value: of a list also the one that clears it.
    func effective(_ key: UTF8Text, isList: Bool) -> ArraySlice<IniEntry> {
        let counted = counted(key)
        return isList && !counted.isEmpty ? counted : isList ? all(key).suffix(1) : counted.suffix(1)
    }

    /// The error for a key that must be set.
    func missing(_ key: String) -> String { "missing key '\(key)' in section [\(title)]" }

    /// The section as a file with these keys, and a comment above each assignment about where it was made.
    func printed(_ keys: [PrintedKey]) -> String {
        let lines = keys.flatMap { key in
            let effective = effective(key.name, isList: key.isList)
            guard effective.isEmpty else {
                return effective.map { entry in
                    let origin = "\(SystemError.escape(entry.key.file)):\(entry.key.position.line)"
                    return "# \(origin)\n\(entry.key.string)=\(entry.value.string)\n"
                }
            }
            return [key.defaultText.map { "# default\n\(key.name)=\($0)\n" } ?? "# not set\n#\(key.name)=\n"]
        }
        return "[\(title)]\n" + lines.joined()
    }

    /// The error for a key that the section `section` does not have, and the nearest of those that it has, as in
    /// `NearestName.question`.
    static func unknown(_ key: String, in section: String, of known: [String]) -> (message: String, question: String) {
        ("unknown key \(DisplayText.quoted(key)) in section [\(section)]", NearestName.question(key, in: known))
    }
}
