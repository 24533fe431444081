// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfrySystemd
import Glibc
import Testing

struct ProcessIdentityTests {
    @Test(
        arguments: [("1000", 1000), ("0", 0), ("4294967295", nil), ("", nil), ("-1", nil), ("1000\n", nil)]
            as [(String, UInt32?)])
    func numberOfTheKernelIsRead(text: String, uid: UInt32?) {
        #expect(ProcessIdentity.loginUID(Array(text.utf8)) == uid)
    }

    @Test func onlyRootHasASecondName() {
        #expect(ProcessIdentity.loginUID(of: getpid(), runBy: 1000) == nil)
        #expect(ProcessIdentity.loginUID(of: 0, runBy: 0) == nil)
    }
}
