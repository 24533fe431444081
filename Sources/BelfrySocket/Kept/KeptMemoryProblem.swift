// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What makes memory that was handed over unfit to go on with.
package nonisolated enum KeptMemoryProblem: Error, Equatable, CustomStringConvertible {
    /// It is not of this service, or not what it says.
    case foreign
    /// Another build wrote it in another way.
    case version(UInt64)
    /// It is of another boot.
    case boot
    /// It contradicts itself.
    case corrupt(String)
    /// The numbers of notifications have gone on without it.
    case outdated

    package var description: String {
        switch self {
        case .foreign: "it is not ours"
        case .version(let version): "it has format \(version), not \(KeptLayout.version)"
        case .boot: "it is of another boot"
        case .corrupt(let what): "its \(what) is corrupt"
        case .outdated: "notifications were counted without it"
        }
    }
}
