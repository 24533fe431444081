// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import ServiceManager

/// Knows which end of the machine logind has announced, for the reason of the stop that follows. With the inhibitor,
/// logind waits until that is known.
package final class ShutdownSource {
    private var matches: [BusMatch] = []
    private var isAnnounced = false

    /// Makes the end of the machine wait, while it is wanted.
    package let inhibitor: Inhibitor
    /// The end that was announced, where logind has said which.
    package private(set) var kind: ShutdownKind?

    /// Listens from now on.
    package init(login: LoginManager, who: String) {
        inhibitor = Inhibitor(.shutdown, of: login, who: who, why: "The reason of the stop is found out")
        matches = login.onShutdown { [unowned self] in announced($0, $1) }
    }

    /// logind is there, for the first time or again.
    func loginAppeared() {
        if !isAnnounced { inhibitor.take() }
    }

    private func announced(_ begins: Bool, _ kind: ShutdownKind?) {
        isAnnounced = begins
        self.kind = begins ? kind ?? self.kind : nil
        begins ? inhibitor.release() : inhibitor.take()
    }
}
