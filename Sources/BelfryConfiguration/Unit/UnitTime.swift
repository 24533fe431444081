// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a service can do with the times of its unit.
package nonisolated enum UnitTime {
    /// What of a time of the unit listeners can have: all but a tenth of it, at most 5 s, which is for the way out.
    package static func usable(of time: Duration) -> Duration { time - min(time / 10, .seconds(5)) }
}
