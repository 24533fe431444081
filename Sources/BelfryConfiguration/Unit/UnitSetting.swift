// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One assignment in a unit.
nonisolated struct UnitSetting: Sendable {
    /// The key.
    let key: String
    /// The value as written.
    let value: String
    /// Where the key stands.
    let position: ConfigurationPosition
    private let text: IniText

    init(_ entry: IniEntry) {
        key = entry.key.string
        value = entry.value.string
        position = entry.key.position
        text = entry.value
    }

    /// Where a part of the value stands.
    func position(at offset: Int) -> ConfigurationPosition { text.position(at: offset) }

    /// `Key=value`, for messages.
    var words: String { DisplayText.escaped("\(key)=\(value)") }
}
