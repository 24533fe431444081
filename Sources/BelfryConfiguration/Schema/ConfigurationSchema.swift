// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The table of all sections and keys. It is a value: append to `sections` to have more of them.
package nonisolated struct ConfigurationSchema: Sendable {
    /// The sections, in the order to show them.
    package var sections: [SectionDescription]

    /// A table of these sections.
    package init(_ sections: [SectionDescription]) {
        self.sections = sections
    }

    /// The section of that name.
    package func section(_ name: String) -> SectionDescription? {
        sections.first { $0.name == name }
    }

    /// Belfry's own.
    package static let belfry = ConfigurationSchema([
        BelfrySections.service, BelfrySections.signals, BelfrySections.socket, BelfrySections.logger,
        BelfrySections.cache,
    ])
}
