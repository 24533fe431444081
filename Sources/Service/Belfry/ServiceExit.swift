// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfrySystemd

/// The exit codes of a service, those of sysexits(3) where one fits.
package nonisolated enum ServiceExit {
    /// It stopped in order.
    package static let success: Int32 = 0
    /// The command line was not understood.
    package static let usage: Int32 = 64
    /// A part of the service failed (`BelfryService.fail(_:)`).
    package static let failure: Int32 = 70
    /// The system refused something, or the launch was refused.
    package static let system: Int32 = 71
    /// The configuration is wrong.
    package static let configuration: Int32 = 78

    /// Cut short by this signal.
    package static func signal(_ number: Int32) -> Int32 { 128 + number }
}

/// The final message to the service manager: why the process ends, with which status and which error. `systemctl status`
/// shows it (`STATUS=`, `ERRNO=`, and `EXIT_STATUS=` since systemd 254).
final class FinalStatus {
    private let manager: ServiceManagerSocket
    private var text: String?
    private var errorNumber: Int32?

    init(_ manager: ServiceManagerSocket) { self.manager = manager }

    /// Sets the reason, with the error number if there is one. The first reason counts.
    func set(_ text: String, errorNumber: Int32? = nil) {
        guard self.text == nil else { return }
        self.text = text
        self.errorNumber = errorNumber
    }

    /// Sends it, after all messages that wait for the manager. The error is sent only if the process fails.
    func send(exitStatus: Int32) {
        var messages: [ServiceManagerMessage] = [.exitStatus(exitStatus)]
        if let text { messages.append(.status(text)) }
        if let errorNumber, exitStatus != 0 { messages.append(.errorNumber(errorNumber)) }
        manager.send(messages)
        manager.finish()
    }
}
