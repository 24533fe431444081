// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfrySystemd

/// The last that the service manager hears of a process: why it ends, with which code, and which error it was. It stays
/// to be read in `systemctl status` (`STATUS=`, `ERRNO=`, and `EXIT_STATUS=` since systemd 254).
final class ManagerFarewell {
    private let manager: ServiceManagerSocket
    private var text: String?
    private var errorNumber: Int32?

    init(_ manager: ServiceManagerSocket) { self.manager = manager }

    /// Keeps why the process is about to end, with the error number if there is one; the first reason counts.
    func note(_ text: String, errorNumber: Int32? = nil) {
        guard self.text == nil else { return }
        self.text = text
        self.errorNumber = errorNumber
    }

    /// Says it, after all that still waits for the manager. The error is said only of a process that fails.
    func say(exitStatus: Int32) {
        var messages: [ServiceManagerMessage] = [.exitStatus(exitStatus)]
        if let text { messages.append(.status(text)) }
        if let errorNumber, exitStatus != 0 { messages.append(.errorNumber(errorNumber)) }
        manager.send(messages)
        manager.finish()
    }
}
