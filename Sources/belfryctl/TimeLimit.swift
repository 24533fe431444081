// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration

/// A limit for waiting as systemd.time(7) writes it.
struct TimeLimit: Sendable {
    /// Nil for `infinity`.
    let duration: Duration?

    init(_ text: String) throws {
        do {
            duration = try TimeSpanText.parse(text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
