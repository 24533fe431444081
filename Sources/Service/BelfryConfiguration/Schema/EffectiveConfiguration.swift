// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux
package import BelfrySystemd
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
            new.description.keys.filter { $0.needsRestart && new.value($0.name) != old.value($0.name) }.map { key in
                RestartKey(
                    section: new.description.name, name: key.name,
                    position: new.settings.first { $0.key == key.name }?.origin)
            }
        }
    }

    /// The configuration as a file with every key, and a comment above each key about where it was set. Reading that file
    /// gives the same settings.
    package func printed() -> String {
        sections.map { section in
            let name = section.description.name + (section.instance.map { " " + $0 } ?? "")
            let lines = section.settings.map { setting in
                let origin = setting.origin.map { "\(SystemError.escape($0.file)):\($0.line)" } ?? "default"
                return "# \(origin)\n\(setting.key)=\(setting.text)\n"
            }
            return "[\(name)]\n" + lines.joined()
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
    /// Where it begins; nil if no file has it.
    package internal(set) var position: ConfigurationPosition?
    /// The settings: the listed keys in the order of the schema, then the others in the order of the files.
    package internal(set) var settings: [EffectiveSetting]

    /// The value of `key`; nil if it is not set.
    package func value(_ key: String) -> SettingValue? {
        settings.first { $0.key == key }?.value
    }

    /// A boolean, which has a default.
    package func boolean(_ key: String) -> Bool { required(key, \.boolean) }

    /// A number, which has a default.
    package func integer(_ key: String) -> Int { required(key, \.integer) }

    /// A number; nil if it is not set, or `infinity`.
    func optionalInteger(_ key: String) -> Int? { optional(key, \.integer) }

    /// Bytes; nil if the size is not set, or `infinity`.
    package func bytes(_ key: String) -> UInt64? { optional(key, \.bytes) }

    /// A time span; nil if it is not set, or `infinity`.
    package func duration(_ key: String) -> Duration? { optional(key, \.duration) }

    /// Text; nil if it is not set.
    package func text(_ key: String) -> String? { optional(key, \.text) }

    /// Text that must be set.
    func requiredText(_ key: String) -> String { required(key, \.text) }

    /// One of the words that `Choice` lists, which has a default.
    func choice<Choice: RawRepresentable<String>>(_ key: String) -> Choice {
        required(key) { $0.text.flatMap(Choice.init(rawValue:)) }
    }

    /// The name of a notification; nil if it is not set.
    func name(_ key: String) -> LifecycleNotification.Name? { optional(key) { $0.text.flatMap { .init($0) } } }

    /// The names of notifications.
    func names(_ key: String) -> [LifecycleNotification.Name] {
        texts(key).map { text in
            guard let name = LifecycleNotification.Name(text) else { mismatch(key) }
            return name
        }
    }

    /// The words of a list.
    package func texts(_ key: String) -> [String] { required(key, \.texts) }

    /// A log level, which has a default.
    package func priority(_ key: String) -> LogPriority {
        required(key) { $0.text.flatMap { LogPriority($0) } }
    }

    private func optional<Value>(_ key: String, _ read: (SettingValue) -> Value?) -> Value? {
        guard let value = value(key), value != .unlimited else { return nil }
        guard let found = read(value) else { mismatch(key) }
        return found
    }

    private func required<Value>(_ key: String, _ read: (SettingValue) -> Value?) -> Value {
        guard let value = optional(key, read) else { mismatch(key) }
        return value
    }

    private func mismatch(_ key: String) -> Never {
        fatalError("[\(description.name)] has no '\(key)' of that type")  // a mistake in the code, found by any test
    }
}

nonisolated extension SettingValue {
    fileprivate var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    fileprivate var integer: Int? { if case .integer(let value) = self { value } else { nil } }
    fileprivate var bytes: UInt64? { if case .bytes(let value) = self { value } else { nil } }
    fileprivate var duration: Duration? { if case .duration(let value) = self { value } else { nil } }
    fileprivate var text: String? { if case .text(let value) = self { value.string } else { nil } }
    fileprivate var texts: [String]? { if case .texts(let value) = self { value.map(\.string) } else { nil } }
}

/// The setting of one key in effect.
package nonisolated struct EffectiveSetting: Sendable {
    /// The key in its canonical spelling.
    package let key: String
    /// The value as text.
    package internal(set) var text: String
    /// The value; nil if it is not set and has no default.
    package internal(set) var value: SettingValue?
    /// The position of the last assignment; nil for a default.
    package internal(set) var origin: ConfigurationPosition?
}
