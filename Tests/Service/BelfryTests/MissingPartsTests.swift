// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import BelfryListeners
import BelfrySystemd
import Glibc
import Lifecycle
import Testing

@testable import Belfry

struct MissingPartsTests {
    @Test func whatCannotBeMadeIsKnownByItsNotification() {
        let manager = ServiceManagerSocket(address: nil)
        let missing = MissingParts(log: ServiceLog { _ in NullWriter() }, manager: manager)
        let failure = SystemError(EMFILE, verb: "watch", object: "/etc")

        let zone: Int? = missing.attempt(for: .significantTimeChange) { () throws(SystemError) in throw failure }
        let freezer: Int? = missing.attemptInUnit(for: .didResume) { () throws(SystemError) in throw failure }
        let clock: Int? = missing.attempt(for: .willSleep) { () throws(SystemError) in 1 }

        #expect(zone == nil && freezer == nil && clock == 1)
        let reason = "unable to watch '/etc': Too many open files (EMFILE)"
        #expect(missing.reasons == [.significantTimeChange: reason, .didResume: reason])
    }
}
