// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfrySystemd
internal import Lifecycle

/// The settings in effect after all files were read: every section and key of the schema, and where each was set.
package nonisolated struct EffectiveConfiguration: Sendable {
    /// The sections in the order of the schema; a section with instances once for each instance.
    let sections: [EffectiveSection]

    /// The section of that name, which has no instances.
    package func section(_ name: String) -> EffectiveSection {
        guard let section = sections.first(where: { $0.description.name == name && $0.instance == nil }) else {
            fatalError("no section [\(name)] in the schema")  // a mistake in the code, found by any test
        }
        return section
    }

    /// All instances of the section of that name.
    func instances(_ name: String) -> [EffectiveSection] {
        sections.filter { $0.description.name == name && $0.instance != nil }
    }

    /// The keys that differ from `old` and need a restart.
    package func restartKeys(changedFrom old: EffectiveConfiguration) -> [RestartKey] {
        zip(sections.filter { $0.instance == nil }, old.sections.filter { $0.instance == nil }).flatMap { new, old in
            new.description.keys.filter { $0.needsRestart && new.values[$0.name] != old.values[$0.name] }.map { key in
                RestartKey(
                    section: new.description.name, name: key.name, position: new.position(of: key.name))
            }
        }
    }

    /// The configuration as a file with every key, and a comment above each assignment about where it was made. Reading that
    /// file gives the same settings.
    package func printed() -> String {
        sections.map { section in
            section.content.printed(section.keys.map { (UTF8Text($0.name), $0.kind.isList, $0.defaultText) })
        }.joined(separator: "\n")
    }
}

/// A changed key that needs a restart.
package nonisolated struct RestartKey: Sendable, Equatable, CustomStringConvertible {
    package let section: String
    package let name: String
    /// Where it is set now; nil if it has its default again.
    package let position: ConfigurationPosition?

    /// `[Section] Key=` and its position.
    package var description: String { "[\(section)] \(name)=" + (position.map { " (\($0))" } ?? "") }
}

/// The settings of one section in effect. Values have the kinds of the schema: requesting another kind is a programming
/// error and ends the process.
package nonisolated struct EffectiveSection: Sendable {
    /// The section of the schema.
    package let description: SectionDescription
    /// The second word in the brackets, for sections that have one.
    package let instance: String?
    /// Its assignments.
    package internal(set) var content: SectionContent
    /// The values of the keys that are set or have a default.
    var values: [String: SettingValue] = [:]

    /// The listed keys in the order of the schema, then the others in the order of the files.
    var keys: [KeyDescription] {
        let others = content.keys.filter { description.key($0.string) == nil }
        guard let kind = description.others?.kind else { return description.keys }
        return description.keys + others.map { KeyDescription($0.string, kind, default: "") }
    }

    /// Where a listed key is set; nil if it has its default.
    func position(of key: String) -> ConfigurationPosition? {
        let isList = description.key(key)?.kind.isList == true
        return content.effective(UTF8Text(key), isList: isList).last?.key.position
    }

    /// The value of `key` as a `Bool`, `Int`, `UInt64`, `Duration`, `String` or `[String]`; nil if it is not set, or `infinity`.
    package func optional<Value>(_ key: String) -> Value? {
        guard let value = values[key], value != .unlimited else { return nil }
        guard let value = value.payload as? Value else { mismatch(key) }
        return value
    }

    /// The value of a key that has a default or must be set.
    func required<Value>(_ key: String) -> Value {
        guard let value: Value = optional(key) else { mismatch(key) }
        return value
    }

    /// One of the words that `Choice` lists, which has a default.
    func choice<Choice: RawRepresentable<String>>(_ key: String) -> Choice {
        guard let choice = Choice(rawValue: required(key)) else { mismatch(key) }
        return choice
    }

    /// The name of a notification; nil if it is not set.
    func name(_ key: String) -> LifecycleNotification.Name? {
        optional(key).map { (text: String) in name(text, key) }
    }

    /// The names of notifications.
    func names(_ key: String) -> [LifecycleNotification.Name] {
        (required(key) as [String]).map { name($0, key) }
    }

    private func name(_ text: String, _ key: String) -> LifecycleNotification.Name {
        guard let name = LifecycleNotification.Name(text) else { mismatch(key) }
        return name
    }

    /// A log level, which has a default.
    func priority(_ key: String) -> LogPriority {
        guard let priority = LogPriority(required(key)) else { mismatch(key) }
        return priority
    }

    private func mismatch(_ key: String) -> Never {
        fatalError("[\(description.name)] has no '\(key)' of that type")  // a mistake in the code, found by any test
    }
}

nonisolated extension SettingValue {
    fileprivate var payload: Any {
        switch self {
        case .boolean(let value): value
        case .duration(let value): value
        case .bytes(let value): value
        case .integer(let value): value
        case .text(let value): value.string
        case .texts(let values): values.map(\.string)
        case .unlimited: ()
        }
    }
}
