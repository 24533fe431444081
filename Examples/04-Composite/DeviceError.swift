// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why a device does not work.
struct DeviceError: Error, CustomStringConvertible {
    let reason: String

    var description: String { reason }
}
