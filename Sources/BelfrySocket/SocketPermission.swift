// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a method of the socket does, as far as it takes a permission.
package nonisolated enum SocketPermission: Sendable, CaseIterable {
    /// It reads.
    case look
    /// It posts a notification, asks for an action, has a URL opened.
    case post
    /// It has a say in the service's life: moves it, holds it, listens in order.
    case control
    /// It reads what may hold secrets.
    case own
}
