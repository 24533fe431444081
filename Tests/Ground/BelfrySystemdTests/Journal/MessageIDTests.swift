// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import BelfrySystemd
import TestSupport
import Testing

struct MessageIDTests {
    /// The entries by the id above each, without their comments.
    private let entries: [String: String]

    init() throws {
        let path = ProjectFile.url("systemd/belfry.catalog").path
        let parts = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n-- ").dropFirst()
        entries = Dictionary(uniqueKeysWithValues: parts.map { (String($0.prefix(32)), String($0.dropFirst(33))) })
    }

    @Test func entriesMatchTheMessageIDs() {
        #expect(Set(entries.keys) == Set(MessageID.allCases.map(\.rawValue)))
    }

    @Test func everyEntryHasASubjectAndADescription() throws {
        for entry in entries.values {
            let match = try #require(entry.wholeMatch(of: /Subject: (.+)\nDefined-By: Belfry\n(?:.+\n)*\n(?s:(.+))/))
            #expect(match.1.count <= 80 && match.2.count > 80)
        }
        #expect(Set(entries.values.map { $0.prefix { $0 != "\n" } }).count == entries.count)
    }
}
