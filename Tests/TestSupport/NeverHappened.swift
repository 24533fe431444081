// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a test has waited for on the loop has not happened.
public nonisolated struct TurningError: Error {}
