// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd
package import Lifecycle

extension LifecycleOrigin {
    /// Who it was, for people: «SIGTERM from pid 1 (systemd), uid 0, init.scope».
    package nonisolated var words: RecordText { "\(self)" }
}

extension ExitRecord {
    /// Who it was, and why it was paused, for people: «pid 8 (belfryctl), uid 0 on the socket: an upgrade».
    package nonisolated var words: RecordText { origin.words + (pauseReason.map { ": \($0)" } ?? "") }
}

extension RecordText.StringInterpolation {
    /// Adds who it was, for people: «SIGTERM from pid 1 (systemd), uid 0, init.scope».
    package nonisolated mutating func appendInterpolation(_ origin: LifecycleOrigin) {
        switch origin {
        case .service: appendLiteral("the service itself")
        case .signal(let signal):
            appendInterpolation(signal.name)
            switch signal.sender {
            case .kernel: appendLiteral(" from the kernel")
            case .outside:
                appendLiteral(" from outside of this pid namespace, uid ")
                appendInterpolation(signal.uid)
            case .process:
                appendLiteral(" from ")
                append(signal.pid, signal.uid, signal.loginUID, signal.unit, signal.command)
            }
        case .peer(let peer):
            append(peer.pid, peer.uid, peer.loginUID, peer.unit, peer.command)
            appendLiteral(" on the socket")
        }
    }

    private nonisolated mutating func append(
        _ pid: Int32, _ uid: UInt32, _ loginUID: UInt32?, _ unit: String?, _ command: String?
    ) {
        appendLiteral("pid ")
        appendInterpolation(pid)
        if let command {
            appendLiteral(" (")
            appendInterpolation(command)
            appendLiteral(")")
        }
        appendLiteral(", uid ")
        appendInterpolation(uid)
        if let loginUID {
            appendLiteral(", login uid ")
            appendInterpolation(loginUID)
        }
        if let unit {
            appendLiteral(", ")
            appendInterpolation(unit)
        }
    }
}
