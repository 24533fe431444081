// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryListeners
import BelfrySocket
import Testing
import Varlink

struct SocketPermissionsTests {
    nonisolated private static let root = VarlinkPeer(pid: 1, uid: 0, gid: 0)
    nonisolated private static let owner = VarlinkPeer(pid: 1, uid: 100, gid: 9)
    nonisolated private static let member = VarlinkPeer(pid: 1, uid: 7, gid: 50)
    nonisolated private static let supplementary = VarlinkPeer(pid: 1, uid: 7, gid: 9, groups: [8, 50])
    nonisolated private static let stranger = VarlinkPeer(pid: 1, uid: 7, gid: 9, groups: [8])
    nonisolated private static let nobody = VarlinkPeer(pid: 0, uid: 65534, gid: 65534)

    @Test(arguments: [
        (SocketAudience.all, [root, owner, member, supplementary, stranger, nobody], []),
        (.privileged, [root, owner, member, supplementary], [stranger, nobody]),
        (.owner, [root, owner], [member, supplementary, stranger, nobody]),
    ])
    func audienceDecidesAboutAccess(audience: SocketAudience, admitted: [VarlinkPeer], refused: [VarlinkPeer]) {
        for permission in SocketPermission.allCases {
            let access = SocketPermissions(settings(audience), owner: 100, group: 50)

            #expect(admitted.allSatisfy { access.allows(permission, $0) })
            #expect(!refused.contains { access.allows(permission, $0) })
        }
    }

    private func settings(_ audience: SocketAudience) -> SocketSettings {
        var settings = BelfrySettings.defaults.socket
        (settings.look, settings.post, settings.control) = (audience, audience, audience)
        return settings
    }

    @Test func othersMayOnlyLookByDefault() {
        let access = SocketPermissions(BelfrySettings.defaults.socket, owner: 100, group: 50)

        #expect(SocketPermission.allCases.filter { access.allows($0, Self.stranger) } == [.look])
        #expect(SocketPermission.allCases.allSatisfy { access.allows($0, Self.root) })
    }

    @Test func theProgramOfAnApplicationMayAttachAndNothingElse() {
        let access = SocketPermissions(settings(.owner), owner: 100, group: 50)
        var program = Self.stranger
        program.isKnown = true

        #expect(SocketPermission.allCases.filter { access.allows($0, program) } == [.attach])
    }

    @Test func missingGroupAdmitsNoMember() {
        let access = SocketPermissions(settings(.privileged), owner: 100, group: nil)

        #expect(!access.allows(.post, Self.member))
    }
}
