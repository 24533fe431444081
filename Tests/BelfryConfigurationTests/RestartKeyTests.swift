// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import Testing

struct RestartKeyTests {
    nonisolated private static let keys = ConfigurationSchema.belfry.sections.flatMap { section in
        section.keys.filter(\.needsRestart).map { (title: "[\(section.name)] \($0.name)=", name: $0.name) }
    }

    @Test func theyAreThoseThatTheShippedFileNames() throws {
        let path = URL(filePath: #filePath).appending(path: "../../../config/belfry.conf").standardized.path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let sentence = try #require(text.firstMatch(of: /These need a restart, .* refused: ((?s:.*?))\.\n\n/)).1

        let named = sentence.matches(of: /(\w+)=/).map { String($0.1) }
        #expect(named.sorted() == Self.keys.map(\.name).sorted())
    }

    @Test(arguments: [
        ("[Service] DisabledListeners=", "video"), ("[Service] RuntimeDirectory=", "/run/other"),
        ("[Service] StateDirectory=", "/var/lib/other"), ("[Socket] Enabled=", "no"), ("[Socket] Path=", "@other"),
        ("[Socket] ReplaySize=", "2M"),
    ])
    func changeIsFoundWithItsPlace(key: String, value: String) {
        #expect(Self.keys.contains { $0.title == key })
        let old = MemoryFiles.load("").effective
        let new = MemoryFiles.load(key.replacing("] ", with: "]\n") + value + "\n").effective

        #expect(new.restartKeys(changedFrom: old).map(\.description) == ["\(key) (a.conf:2:1)"])
        #expect(old.restartKeys(changedFrom: new).map(\.description) == [key])
        #expect(new.restartKeys(changedFrom: new) == [])
    }

    @Test func whatSaysTheSameInAnotherPlaceIsNoChange() {
        let old = MemoryFiles.load("").effective
        let new = MemoryFiles.load("[Logger]\nLevel=debug\n[Socket]\nEnabled=true\nReplaySize=1024K\n").effective

        #expect(new.restartKeys(changedFrom: old) == [])
    }
}
