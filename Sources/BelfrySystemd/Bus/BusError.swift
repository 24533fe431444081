// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc
internal import BelfryLinux

/// Why a call over the bus brought nothing: the answer was an error, or there was none.
package nonisolated struct BusError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was attempted, an infinitive with its object: `call 'org.freedesktop.DBus.GetId'`.
    package let attempt: String
    /// The error's name on the bus, such as `org.freedesktop.DBus.Error.AccessDenied`; nil when it never got that far.
    package let name: String?
    /// What it means, for people.
    package let message: String

    /// There is no connection at the moment.
    static func notConnected(_ attempt: String) -> Self { Self(attempt, -ENOTCONN) }

    /// The connection could not do it.
    init(_ attempt: String, _ code: Int32) {
        self.attempt = attempt
        name = nil
        message = SystemError(code, verb: "", object: "").reason
    }

    /// The other side refused.
    init(_ attempt: String, name: String, message: String?) {
        self.attempt = attempt
        self.name = name
        self.message = message ?? "refused"
    }

    /// `unable to call 'X': access denied (org.freedesktop.DBus.Error.AccessDenied)`
    package var description: String { "unable to \(attempt): \(message)\(name.map { " (\($0))" } ?? "")" }

    static func check(_ result: Int32, _ attempt: @autoclosure () -> String) throws(BusError) {
        if result < 0 { throw BusError(attempt(), result) }
    }
}
