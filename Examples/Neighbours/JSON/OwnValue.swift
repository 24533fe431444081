// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package enum OwnValue: Sendable {
    case null
}
