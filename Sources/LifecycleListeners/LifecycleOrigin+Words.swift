// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

extension LifecycleOrigin {
    /// Who it was, for people: «SIGTERM from pid 1, uid 0, init.scope».
    package nonisolated var words: String {
        switch self {
        case .service: "the service itself"
        case .signal(let signal):
            "\(signal.name) from pid \(signal.pid), uid \(signal.uid)" + (signal.unit.map { ", \($0)" } ?? "")
        case .peer(let peer):
            "pid \(peer.pid), uid \(peer.uid)" + (peer.unit.map { ", \($0)" } ?? "") + " on the socket"
        }
    }
}
