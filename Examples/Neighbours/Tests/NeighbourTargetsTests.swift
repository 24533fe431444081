// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import CSystemd
import EventLoop
import JSON
import System
import Testing

/// SwiftPM refuses two targets of one name in a package graph. That this package builds shows that no target of Belfry has
/// one of the names that other packages use too.
struct NeighbourTargetsTests {
    @MainActor @Test func aServiceMayHaveTargetsOfTheseNames() {
        let own: (OwnLoop, OwnValue, any Error) = (OwnLoop(), .null, OwnError())
        let state: LifecycleState = .notRunning

        #expect(own_listen_fds() == 0)
        _ = (own, state)
    }
}
