// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why a listener cannot be added.
public nonisolated enum ListenerOrderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// These follow each other in a circle; listeners of one rank are told together, so that none may follow another.
    case cycle([String])
    /// Another listener has this name.
    case duplicate(String)
    /// More than one is to be the primary one.
    case primaries([String])

    /// What is wrong, with the names.
    public var description: String {
        switch self {
        case .cycle(let names): "listeners follow each other in a circle: \(names.joined(separator: " -> "))"
        case .duplicate(let name): "there is a listener of this name already: \(name)"
        case .primaries(let names): "more than one primary listener: \(names.joined(separator: ", "))"
        }
    }
}
