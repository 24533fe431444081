// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
internal import BelfryLinux

extension LifecycleOrigin {
    /// Who it was, for people: «SIGTERM from pid 1 (systemd), uid 0, init.scope».
    package nonisolated var words: String {
        switch self {
        case .service: "the service itself"
        case .signal(let signal):
            switch signal.sender {
            case .kernel: "\(signal.name) from the kernel"
            case .outside: "\(signal.name) from outside of this pid namespace, uid \(signal.uid)"
            case .process:
                "\(signal.name) from " + Self.process(signal.pid, signal.uid, signal.unit, signal.command)
            }
        case .peer(let peer): Self.process(peer.pid, peer.uid, peer.unit, peer.command) + " on the socket"
        }
    }

    private nonisolated static func process(_ pid: Int32, _ uid: UInt32, _ unit: String?, _ command: String?) -> String
    {
        "pid \(pid)" + (command.map { " (\(SystemError.escape($0)))" } ?? "") + ", uid \(uid)"
            + (unit.map { ", \($0)" } ?? "")
    }
}
