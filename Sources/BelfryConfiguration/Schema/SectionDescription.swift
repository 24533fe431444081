// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One section of the configuration, as the table of all keys lists it.
package nonisolated struct SectionDescription: Sendable {
    /// The name in the brackets.
    package let name: String
    /// What a second word in the brackets stands for, such as `NAME`; nil when there is none.
    package let instance: String?
    /// What the section is about, in one line.
    package let help: String
    /// The keys that have a default or are listed for another reason, in the order to show them.
    package let keys: [KeyDescription]
    /// Which keys it takes besides the listed ones.
    let openKeys: OpenKeys?

    /// A section.
    package init(
        _ name: String, instance: String? = nil, help: String, openKeys: OpenKeys? = nil, keys: [KeyDescription]
    ) {
        self.name = name
        self.instance = instance
        self.help = help
        self.keys = keys
        self.openKeys = openKeys
    }

    /// The listed key of that name.
    package func key(_ name: String) -> KeyDescription? {
        keys.first { $0.name == name }
    }
}
