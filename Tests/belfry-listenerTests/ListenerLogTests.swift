// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfry_listener
import BelfryListeners
import Testing

struct ListenerLogTests {
    @Test func messageIDsAreThoseOfTheCatalog() {
        for id in ListenerLog.MessageID.allCases {
            #expect(MessageID.allCases.first { $0.rawValue == id.rawValue }.map { "\($0)" } == "\(id)")
        }
    }
}
