// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Varlink

/// Limits the posts of each user that listeners are still handling. Beyond the limit a post begins when an earlier one
/// is done; until then its connection waits, and so do later calls on it. A post whose client goes away before it
/// begins is dropped.
final class PostAdmission {
    /// Posts of one user, and the bytes of their calls.
    static let mostOfUser = (posts: 256, bytes: 16 << 20)
    /// Bytes of all users. A user without a post under way may begin one nevertheless.
    static let mostBytes = 32 << 20

    /// Posts, and calls `done` when all listeners are done.
    typealias Post = (_ done: @escaping () -> Void) -> Void

    private struct User {
        var posts = 0
        var bytes = 0
        var waiting: [(request: VarlinkRequest, bytes: Int, post: Post)] = []
    }

    private var users: [UInt32: User] = [:]
    private var bytes = 0
    /// Whether posts that waited are being begun, and whether one has ended meanwhile.
    private var (isBeginning, hasRoomAgain) = (false, false)

    /// Begins a post whose call has so many bytes, now or when there is room.
    func begin(_ request: VarlinkRequest, _ bytes: Int, _ post: @escaping Post) {
        let uid = request.peer.uid
        guard users[uid]?.waiting.isEmpty == false || !hasRoom(for: bytes, of: uid) else {
            return run(bytes, of: uid, post)
        }
        users[uid, default: User()].waiting.append((request, bytes, post))
        request.onCancel = { [weak self, weak request] in
            self?.users[uid]?.waiting.removeAll { $0.request === request }
            self?.removeIfIdle(uid)
        }
    }

    private func hasRoom(for bytes: Int, of uid: UInt32) -> Bool {
        guard let user = users[uid], user.posts > 0 else { return true }
        return user.posts < Self.mostOfUser.posts && user.bytes + bytes <= Self.mostOfUser.bytes
            && self.bytes + bytes <= Self.mostBytes
    }

    private func run(_ bytes: Int, of uid: UInt32, _ post: Post) {
        users[uid, default: User()].posts += 1
        users[uid, default: User()].bytes += bytes
        self.bytes += bytes
        post { [weak self] in self?.end(bytes, of: uid) }
    }

    private func end(_ bytes: Int, of uid: UInt32) {
        users[uid]?.posts -= 1
        users[uid]?.bytes -= bytes
        self.bytes -= bytes
        removeIfIdle(uid)
        hasRoomAgain = true
        // A post that ends at once comes back here, and the stack is not to grow with each one that waits.
        guard !isBeginning else { return }
        isBeginning = true
        while hasRoomAgain {
            hasRoomAgain = false
            beginNext(of: uid)
            // Posts of other users may have waited for the common limit.
            for other in users.filter({ $0.key != uid && !$0.value.waiting.isEmpty }).keys { beginNext(of: other) }
        }
        isBeginning = false
    }

    private func beginNext(of uid: UInt32) {
        while let next = users[uid]?.waiting.first, hasRoom(for: next.bytes, of: uid) {
            users[uid]?.waiting.removeFirst()
            next.request.onCancel = nil
            run(next.bytes, of: uid, next.post)
        }
    }

    private func removeIfIdle(_ uid: UInt32) {
        if let user = users[uid], user.posts == 0, user.waiting.isEmpty { users[uid] = nil }
    }
}
