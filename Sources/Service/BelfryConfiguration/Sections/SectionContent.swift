// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
internal import BelfryLinux

/// One section in all files: its assignments, and the keys that were read from it. Of the assignments of a key those
/// after the last empty one count, and of a key that is no list only the last.
package nonisolated struct SectionContent: Sendable {
    /// The one spelling of a key that may have several.
    typealias KeyName = (String) throws(ValueProblem) -> String

    /// A key that was read.
    package struct ReadKey: Sendable {
        package let name: UTF8Text
        /// Whether all assignments count.
        fileprivate(set) var isList = false
        /// The default as written in a file; nil for a key of a service's own section, whose default is not known here.
        package let defaultText: String?
    }

    /// What is in the brackets. Names have no spaces.
    package let title: String
    /// The first word in the brackets.
    package let name: String
    /// The second word in the brackets; nil if there is none.
    package let instance: String?
    /// Where the section begins; nil if no file has it.
    private(set) var position: ConfigurationPosition?
    /// The keys that are set, in the order of the files.
    private(set) var keys: [UTF8Text] = []
    private var entries: [UTF8Text: [IniEntry]] = [:]
    /// The keys that were read, in this order.
    package private(set) var read: [ReadKey] = []
    private var indices: [UTF8Text: Int] = [:]
    private var accepted: Set<UTF8Text> = []

    /// A section without assignments.
    init(_ name: String, instance: String? = nil) {
        title = name + (instance.map { " " + $0 } ?? "")
        self.name = name
        self.instance = instance
    }

    /// The sections of that name, which have no second word in the brackets.
    init(_ name: String, of found: [IniSection], key: KeyName, _ diagnostics: inout DiagnosticList) {
        self.init(name)
        for section in found where section.name.string.hasSameBytes(as: name) {
            if let instance = section.instance {
                let word = DisplayText.quoted(instance.string)
                diagnostics.error(at: instance.position, "section [\(name)] takes no name, found \(word)")
            } else {
                add(section, key: key, &diagnostics)
            }
        }
    }

    /// Adds the assignments of a section.
    mutating func add(_ section: IniSection, key name: KeyName, _ diagnostics: inout DiagnosticList) {
        position = position ?? section.name.position
        for entry in section.entries {
            do throws(ValueProblem) {
                let key = UTF8Text(try name(entry.key.string))
                if entries[key] == nil { keys.append(key) }
                entries[key, default: []].append(entry)
            } catch {
                diagnostics.error(at: entry.key.position(at: error.offset), error.message)
            }
        }
    }

    /// All assignments of a key, in the order of the files.
    func all(_ key: UTF8Text) -> [IniEntry] { entries[key] ?? [] }

    /// The assignments of a key after the last empty one.
    func counted(_ key: UTF8Text) -> ArraySlice<IniEntry> {
        let all = all(key)
        return all[(all.lastIndex(where: \.isEmpty).map { $0 + 1 } ?? 0)...]
    }

    /// Where a key that was read is set; nil if it has its default.
    func position(of key: String) -> ConfigurationPosition? {
        guard let index = indices[UTF8Text(key)] else { return nil }
        return effective(read[index]).last?.key.position
    }

    /// The assignments that make the value: of a list also the one that clears it.
    private func effective(_ key: ReadKey) -> ArraySlice<IniEntry> {
        let counted = counted(key.name)
        return key.isList && !counted.isEmpty ? counted : key.isList ? all(key.name).suffix(1) : counted.suffix(1)
    }

    /// A key is read.
    mutating func read(_ key: UTF8Text, isList: Bool = false, default text: String?) {
        let index = indices[key] ?? read.count
        if index == read.count {
            read.append(ReadKey(name: key, defaultText: text))
            indices[key] = index
        }
        if isList { read[index].isList = true }
    }

    /// The keys that are set and fit are no errors, whether they are read or not.
    mutating func accept(where fits: (String) -> Bool) {
        accepted.formUnion(keys.filter { fits($0.string) })
    }

    /// The keys that are set, and were not read.
    var unread: [UTF8Text] { keys.filter { indices[$0] == nil } }

    /// Reports each key that was neither read nor accepted, with the nearest of those that were read.
    ///
    /// - Parameter hint: the end of the message if none is near.
    func reportUnknownKeys(_ diagnostics: inout DiagnosticList, hint: (String) -> String = { _ in "" }) {
        let known = read.map(\.name.string)
        for entry in unread.filter({ !accepted.contains($0) }).flatMap(all) {
            let key = entry.key.string
            let question = NearestName.question(key, in: known)
            diagnostics.error(
                at: entry.key.position,
                "unknown key \(DisplayText.quoted(key)) in section [\(name)]\(question.isEmpty ? hint(key) : question)")
        }
    }

    /// The error for a key that must be set.
    func missing(_ key: String) -> String { "missing key '\(key)' in section [\(title)]" }

    /// The section as a file with every key that was read, and a comment above each assignment about where it was made.
    var printed: String {
        let lines = read.flatMap { key in
            let effective = effective(key)
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
}
