// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What holds for one section after all files were read. The values are of the kinds that the table names, which is
/// why asking for another kind is a mistake in the program and ends it.
package nonisolated struct EffectiveSection: Sendable {
    /// The section's entry in the table.
    package let description: SectionDescription
    /// The second word in the brackets, for sections that have one.
    package let instance: String?
    /// Where it begins; nil when no file has it.
    package let position: ConfigurationPosition?
    /// The settings: the listed keys in the order of the table, then the others in the order of the files.
    package internal(set) var settings: [EffectiveSetting]

    /// The value of `key`; nil when it is not set.
    package func value(_ key: String) -> SettingValue? {
        settings.first { $0.key == key }?.value
    }

    /// A boolean, which has a default.
    package func boolean(_ key: String) -> Bool {
        guard case .boolean(let value) = value(key) else { mismatch(key) }
        return value
    }

    /// A number, which has a default.
    package func integer(_ key: String) -> Int {
        guard let value = optionalInteger(key) else { mismatch(key) }
        return value
    }

    /// A number; nil when it is not set, or `infinity`.
    func optionalInteger(_ key: String) -> Int? {
        switch value(key) {
        case .integer(let value): value
        case nil, .unlimited: nil
        default: mismatch(key)
        }
    }

    /// Bytes; nil when the size is not set, or `infinity`.
    package func bytes(_ key: String) -> UInt64? {
        switch value(key) {
        case .bytes(let value): value
        case nil, .unlimited: nil
        default: mismatch(key)
        }
    }

    /// A time span; nil when it is not set, or `infinity`.
    package func duration(_ key: String) -> Duration? {
        switch value(key) {
        case .duration(let value): value
        case nil, .unlimited: nil
        default: mismatch(key)
        }
    }

    /// Text; nil when it is not set.
    package func text(_ key: String) -> String? {
        switch value(key) {
        case .text(let value): value
        case nil: nil
        default: mismatch(key)
        }
    }

    /// The words of a list.
    package func texts(_ key: String) -> [String] {
        guard case .texts(let value) = value(key) else { mismatch(key) }
        return value
    }

    /// Text that must be set.
    func requiredText(_ key: String) -> String {
        guard let value = text(key) else { mismatch(key) }
        return value
    }

    /// One of the words that `Choice` lists, which has a default.
    func choice<Choice: RawRepresentable<String>>(_ key: String) -> Choice {
        guard let choice = Choice(rawValue: requiredText(key)) else { mismatch(key) }
        return choice
    }

    /// A log level, which has a default.
    package func priority(_ key: String) -> LogPriority {
        guard let priority = LogPriority(rawValue: integer(key)) else { mismatch(key) }
        return priority
    }

    private func mismatch(_ key: String) -> Never {
        fatalError("[\(description.name)] has no '\(key)' of that type")  // a mistake in the code, found by any test
    }
}

/// What holds for one key after all files were read.
package nonisolated struct EffectiveSetting: Sendable {
    /// The key in its one spelling.
    package let key: String
    /// The value as it could be written.
    package internal(set) var text: String
    /// The value; nil when nothing is set and there is no default.
    package internal(set) var value: SettingValue?
    /// Where the last assignment stands; nil for a default.
    package internal(set) var origin: ConfigurationPosition?
}
