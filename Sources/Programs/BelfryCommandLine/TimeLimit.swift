// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration

/// A time limit in the syntax of systemd.time(7).
package struct TimeLimit: Sendable {
    /// Nil for `infinity`.
    package let duration: Duration?

    package init(_ text: String) throws {
        duration = try valid(TimeSpanText.parse(text))
    }
}

/// Has ArgumentParser say what is wrong with a value.
@discardableResult
package func valid<Value>(_ value: @autoclosure () throws -> Value) throws -> Value {
    do { return try value() } catch let problem as ValueProblem { throw ValidationError(problem.message) }
}
