// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a test has waited for in vain.
nonisolated struct NeverHappened: Error {
    let what: String
}
