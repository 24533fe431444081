// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

/// Limits the histories that the calls of one user fetch at the same time, because hosts answer only so many requests. Further
/// calls wait for earlier ones.
final class HistoryAdmission {
    static let callsOfUser = 4

    private struct User {
        var running = 0
        var waiting: [HistoryCall] = []
    }

    private var users: [UInt32: User] = [:]

    /// Starts a call, now or when there is room.
    func begin(_ call: HistoryCall, of uid: UInt32) {
        users[uid, default: User()].waiting.append(call)
        call.request.onCancel = { [weak self, weak call] in
            self?.users[uid]?.waiting.removeAll { $0 === call }
        }
        startNext(of: uid)
    }

    private func startNext(of uid: UInt32) {
        while let user = users[uid], user.running < Self.callsOfUser, let call = user.waiting.first {
            users[uid]?.waiting.removeFirst()
            users[uid]?.running += 1
            call.start { [weak self] in
                self?.users[uid]?.running -= 1
                self?.startNext(of: uid)
            }
        }
        if let user = users[uid], user.running == 0, user.waiting.isEmpty { users[uid] = nil }
    }
}
