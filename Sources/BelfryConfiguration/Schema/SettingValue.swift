// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A value of a setting, read and checked.
package nonisolated enum SettingValue: Sendable, Hashable {
    /// `yes` or `no`.
    case boolean(Bool)
    /// A time span.
    case duration(Duration)
    /// A number of bytes.
    case bytes(UInt64)
    /// A whole number.
    case integer(Int)
    /// Text, checked by its kind.
    case text(String)
    /// The words of a list.
    case texts([String])
    /// `infinity`, where the kind allows it.
    case unlimited
}
