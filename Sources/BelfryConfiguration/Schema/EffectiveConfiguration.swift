// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What holds after all files were read: every section of the table with every key, and for each where it was set.
package nonisolated struct EffectiveConfiguration: Sendable {
    /// The sections in the order of the table; those with an instance as often as there are instances.
    package internal(set) var sections: [EffectiveSection] = []

    /// The section of that name which has no instance.
    package func section(_ name: String) -> EffectiveSection {
        guard let section = sections.first(where: { $0.description.name == name && $0.instance == nil }) else {
            fatalError("no section [\(name)] in the table")  // a mistake in the code, found by any test
        }
        return section
    }

    /// All instances of the section of that name.
    func instances(_ name: String) -> [EffectiveSection] {
        sections.filter { $0.description.name == name && $0.instance != nil }
    }

    /// What a reload cannot bring from `old` to this: the keys that need a restart for it.
    package func restartKeys(changedFrom old: EffectiveConfiguration) -> [RestartKey] {
        zip(sections.filter { $0.instance == nil }, old.sections.filter { $0.instance == nil }).flatMap { new, old in
            new.description.keys.filter { $0.needsRestart && new.value($0.name) != old.value($0.name) }.map { key in
                RestartKey(
                    section: new.description.name, name: key.name,
                    position: new.settings.first { $0.key == key.name }?.origin)
            }
        }
    }

    /// The configuration as a file that says everything, with a comment above each key about where it was set.
    /// Reading it again gives the same settings.
    package func printed() -> String {
        sections.map { section in
            let name = section.description.name + (section.instance.map { " " + $0 } ?? "")
            let lines = section.settings.map { setting in
                let origin = setting.origin.map { "\(DisplayText.escaped($0.file)):\($0.line)" } ?? "default"
                return "# \(origin)\n\(setting.key)=\(setting.text)\n"
            }
            return "[\(name)]\n" + lines.joined()
        }.joined(separator: "\n")
    }
}

/// A key whose change takes a restart, and was changed without one.
package nonisolated struct RestartKey: Sendable, Equatable, CustomStringConvertible {
    /// The section it is in.
    package let section: String
    /// The key.
    package let name: String
    /// Where it is set now; nil when it has its default again.
    package let position: ConfigurationPosition?

    /// `[Section] Key=`, and where that is set.
    package var description: String { "[\(section)] \(name)=" + (position.map { " (\($0))" } ?? "") }
}
