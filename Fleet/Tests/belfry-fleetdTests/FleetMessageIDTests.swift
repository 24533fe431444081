// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

@testable import belfry_fleetd

struct FleetMessageIDTests {
    @Test func entriesOfTheCatalogueMatchTheMessageIDs() throws {
        let text = try String(contentsOf: ProjectFile.url("Fleet/systemd/belfry-fleet.catalog"), encoding: .utf8)
        let entry = /-- ([0-9a-f]{32})\nSubject: .{1,80}\nDefined-By: Belfry\n(?:Documentation: .*\n)?\n/
        let numbers = text.matches(of: entry).map { String($0.1) }

        #expect(numbers.sorted() == FleetMessageID.allCases.map(\.rawValue).sorted())
    }
}
