// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
internal import CBelfry
internal import Glibc
package import Lifecycle

/// Posts `significantTimeChange` when the time zone changes, and makes the C library read the new one (tzset(3)).
package final class TimeZoneSource {
    private let mediator: LifecycleMediator
    private let file: TimeZoneFile
    private let onChange: () -> Void
    private var zone: TimeZoneFile.Zone
    private var source: InotifyEventSource?

    /// Watches the directory of `file`, since a new zone is a new link in its place.
    ///
    /// - Parameters:
    ///   - onEnd: called when the directory is gone, and what has its path now, if anything, cannot be watched.
    ///   - onChange: called when the C library has read a new one, before the notification.
    package init(
        loop: MainEventLoop, mediator: LifecycleMediator, file: TimeZoneFile,
        onEnd: @escaping (SystemError) -> Void, onChange: @escaping () -> Void
    ) throws(SystemError) {
        (self.mediator, self.file, self.onChange) = (mediator, file, onChange)
        zone = file.zone
        try watch(on: loop, onEnd)
    }

    private func watch(on loop: MainEventLoop, _ onEnd: @escaping (SystemError) -> Void) throws(SystemError) {
        let kinds: FileChange.Kinds = [.created, .movedTo, .deleted, .movedFrom, .closedAfterWrite, .gone]
        source = try loop.source(path: file.directory, kinds) { [unowned self] change in
            let isGone = !change.kinds.isDisjoint(with: .gone)
            if isGone { do throws(SystemError) { try watch(on: loop, onEnd) } catch { onEnd(error) } }
            if isGone || change.name == file.entry || change.kinds.contains(.overflow) { check() }
        }
    }

    private func check() {
        let now = file.zone
        guard now != zone else { return }
        let change = TimeChange.timeZone(from: zone.name, to: now.name)
        zone = now
        tzset()
        onChange()
        mediator.post(change)
    }
}

/// The file that decides the time zone of a process (tzset(3), localtime(5)).
package nonisolated struct TimeZoneFile: Sendable, Equatable {
    /// A time zone.
    package struct Zone: Sendable, Equatable {
        /// Its name, such as `Europe/Berlin`; nil when the file is a copy that does not say it.
        package let name: String?
        /// What distinguishes two copies.
        let identity: [Int]

        init(name: String?) { (self.name, identity) = (name, []) }

        /// That of a copy. An inode number may be any number: overlayfs uses the upper half.
        init(copy status: stat) {
            (name, identity) = (
                nil, [Int(truncatingIfNeeded: status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
            )
        }
    }

    /// Where it is.
    package let path: String

    /// The file by the variable `TZ`; nil when the variable names the zone itself, so that no file can change it.
    package init?(variable: String?) {
        guard let variable else {
            path = "/etc/localtime"
            return
        }
        let text = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        guard text.hasPrefix("/") else { return nil }
        path = text
    }

    /// The directory whose entry it is.
    package var directory: String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "/"
    }

    /// Its name there.
    package var entry: String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// The zone now. Without a file it is UTC.
    package var zone: Zone {
        if let target = FileContent.target(of: path) { return Zone(name: Self.name(of: target)) }
        var status = stat()
        guard stat(path, &status) == 0 else { return Zone(name: "UTC") }
        return Zone(copy: status)
    }

    /// The name of a zone by the file it is in: what follows the directory `zoneinfo`, or else the whole path.
    static func name(of target: String) -> String {
        let parts = target.split(separator: "/", omittingEmptySubsequences: false)
        guard let folder = parts.lastIndex(of: "zoneinfo"), folder + 1 < parts.count else { return target }
        return parts[(folder + 1)...].joined(separator: "/")
    }
}
