// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why a value is not what was asked for.
nonisolated enum JSONScalarProblem: Error {
    /// It is of another kind.
    case otherKind
    /// It is a number, written here, that the type cannot hold.
    case outOfRange(String)
}
