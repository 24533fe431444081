// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration

/// A time limit in the syntax of systemd.time(7).
package struct TimeLimit: Sendable {
    /// Nil for `infinity`.
    package let duration: Duration?

    package init(_ text: String) throws {
        do {
            duration = try TimeSpanText.parse(text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
