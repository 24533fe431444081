// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The properties of a unit as its manager has loaded it (org.freedesktop.systemd1(5)).
///
/// A property that the manager does not know has the empty value of its type: older versions lack some.
package nonisolated struct UnitProperties: Sendable, Equatable {
    private let values: [String: BusValue]

    /// These properties.
    package init(_ values: [String: BusValue]) { self.values = values }

    /// Whether a unit runs, by its `ActiveState`.
    package static func isActive(_ activeState: String) -> Bool {
        ["active", "reloading", "refreshing"].contains(activeState)
    }

    /// Whether the unit runs.
    package var isActive: Bool { Self.isActive(text("ActiveState")) }

    /// A string.
    package func text(_ name: String) -> String { values[name]?.text ?? "" }

    /// A boolean.
    package func isOn(_ name: String) -> Bool { values[name] == .boolean(true) }

    /// A time limit in microseconds; nil for none.
    package func time(_ name: String) -> Duration? {
        if case .number(let usec) = values[name], usec != 0, usec != .max { .microseconds(usec) } else { nil }
    }

    /// The elements of an array or a structure.
    package func list(_ name: String) -> [BusValue] { values[name]?.elements ?? [] }

    /// The strings of an array of strings.
    package func texts(_ name: String) -> [String] { list(name).compactMap(\.text) }

    /// Those that say how the unit reloads: of the commands program, arguments and prefix `-`, not their last run.
    package var reload: UnitProperties {
        var reload = values.filter { ["Type", "RootDirectory", "RootImage"].contains($0.key) }
        reload["ExecReload"] = .list(list("ExecReload").map { .list(Array($0.elements.prefix(3))) })
        return UnitProperties(reload)
    }
}

/// A value of the bus.
package nonisolated indirect enum BusValue: Sendable, Equatable {
    case text(String)
    case number(Int64)
    case boolean(Bool)
    /// An array or a structure.
    case list([BusValue])

    /// The string that it is, if any.
    package var text: String? { if case .text(let text) = self { text } else { nil } }

    /// Its elements; none for a value without.
    package var elements: [BusValue] { if case .list(let elements) = self { elements } else { [] } }
}
