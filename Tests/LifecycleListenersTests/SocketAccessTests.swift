// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import LifecycleListeners
import Testing
import Varlink

struct SocketAccessTests {
    private func access(lookAll: Bool) -> SocketAccess {
        SocketAccess(owner: 100, group: 50, look: lookAll ? .all : .privileged)
    }

    @Test(arguments: [
        (VarlinkPeer(pid: 1, uid: 0, gid: 0), true), (VarlinkPeer(pid: 1, uid: 100, gid: 9), true),
        (VarlinkPeer(pid: 1, uid: 7, gid: 50), true), (VarlinkPeer(pid: 1, uid: 7, gid: 9, groups: [8, 50]), true),
        (VarlinkPeer(pid: 1, uid: 7, gid: 9, groups: [8]), false), (VarlinkPeer(pid: 0, uid: 65534, gid: 65534), false),
    ])
    func rootOwnerAndGroupMayChange(peer: VarlinkPeer, may: Bool) {
        #expect(access(lookAll: true).mayChange(peer) == may)
        #expect(access(lookAll: true).mayLook(peer))
        #expect(access(lookAll: false).mayLook(peer) == may)
    }

    @Test func missingGroupHelpsNobody() {
        let access = SocketAccess(owner: 100, group: nil, look: .all)

        #expect(!access.mayChange(VarlinkPeer(pid: 1, uid: 7, gid: 50)))
    }
}
