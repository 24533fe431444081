// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package struct OwnError: Error {
    package init() {}
}
