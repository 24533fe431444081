// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryJSON
import Varlink

/// The notifications that a service no longer has in memory, from the journal.
@MainActor
struct MissedNotifications {
    private let names: Set<UTF8Text>
    private let service: JournalService

    /// - Parameters:
    ///   - names: those to read; all when empty.
    ///   - state: that of the service.
    init(names: [String], state: JSONObject) {
        self.names = Set(names.map { UTF8Text($0) })
        service = JournalService(state.text("service") ?? "")
    }

    /// Reports the notifications with these numbers in order, and notes which of them the journal does not have.
    func read(_ range: ClosedRange<Int64>, _ report: (WatchEvent) -> Void) {
        var next = range.lowerBound
        // It is reported once it is known to be the last record of its number: a process may have been killed after it
        // wrote one and before it sent the notification, and the number was used again.
        var latest: (number: Int64, notification: JSONObject)?
        func reportLatest() {
            guard let (number, notification) = latest else { return }
            note(missing: next..<number, report)
            next = number + 1
            if names.isEmpty || notification.text("name").map({ names.contains(UTF8Text($0)) }) ?? false {
                report(.notification(notification))
            }
        }
        do {
            try JournalReader().read(range, of: service) { notification, number in
                // Such as that of an earlier boot.
                guard number >= latest?.number ?? next else { return }
                if let latest, number > latest.number { reportLatest() }
                latest = (number, notification)
            }
        } catch {
            report(.note((error as? ClientFailure)?.lines[0] ?? "\(error)"))
        }
        reportLatest()
        note(missing: next..<range.upperBound + 1, report)
    }

    private func note(missing range: Range<Int64>, _ report: (WatchEvent) -> Void) {
        guard let first = range.first, let last = range.last else { return }
        let what = first == last ? "notification \(first) is" : "notifications \(first) to \(last) are"
        report(.note("\(what) not available any more"))
    }
}
