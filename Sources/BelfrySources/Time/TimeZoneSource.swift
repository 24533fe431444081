// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import Glibc
package import Lifecycle
package import BelfryLinux

/// Posts `significantTimeChange` when the time zone becomes another one, and makes the C library read it (tzset(3)).
package final class TimeZoneSource {
    private let mediator: LifecycleMediator
    private let file: TimeZoneFile
    private var zone: TimeZoneFile.Zone
    private var source: InotifyEventSource?

    /// Watches the directory of `file`, since a zone is set by putting another link in its place.
    package init(loop: MainEventLoop, mediator: LifecycleMediator, file: TimeZoneFile) throws(SystemError) {
        self.mediator = mediator
        self.file = file
        zone = file.zone
        let kinds: FileChange.Kinds = [.created, .movedTo, .deleted, .movedFrom, .closedAfterWrite]
        source = try loop.source(path: file.directory, kinds) { [unowned self] change in
            if change.name == file.entry || change.kinds.contains(.overflow) { check() }
        }
    }

    private func check() {
        let now = file.zone
        guard now != zone else { return }
        let change = TimeChange.timeZone(from: zone.name, to: now.name)
        zone = now
        tzset()
        mediator.post(change)
    }
}
