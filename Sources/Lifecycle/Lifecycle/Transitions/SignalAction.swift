// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a signal does. The defaults are in `SignalSettings`.
package nonisolated enum SignalAction: Sendable, Hashable {
    /// Stops the service in order.
    case stop
    /// Writes the status to the journal and stops the service at once.
    case stopNow
    /// Reads the configuration again.
    case reload
    /// Pauses the service.
    case pause
    /// Continues it after a pause or an interruption.
    case resume
    /// Interrupts it: inactive until it continues.
    case interrupt
    /// Depends on the queued value, by systemd's convention for SIGRTMIN+18.
    case control
    /// Nothing.
    case ignore
    /// Posts the notification of this name.
    case post(LifecycleNotification.Name)
    /// Requests the action of this identifier, which a listener offers.
    case perform(String)
}
