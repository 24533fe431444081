// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import TestSupport
import Testing

struct PrintedConfigurationTests {
    @Test func everyKeyIsPrintedWithItsOrigin() {
        let text = MemoryFiles.load("[Service]\nStopTimeout=1min\n[Cache a]\nPath=/a\nOn=x\nOn=\"y\"\n").effective
            .printed()

        #expect(text.hasPrefix("[Service]\n# default\nListenerTimeout=10s\n# a.conf:2\nStopTimeout=1min\n"))
        #expect(text.contains("\n\n[Cache a]\n# a.conf:4\nPath=/a\n"))
        #expect(text.hasSuffix("# a.conf:5\nOn=x\n# a.conf:6\nOn=\"y\"\n"))
        for section in MemoryFiles.load("").effective.schema {
            for key in section.read { #expect(text.contains("\n\(key.name)=")) }
        }
    }

    @Test(arguments: [
        "", "[Signals]\nRTMIN+3=x\nUSR1=ignore\n",
        "[Cache a]\nPath=//a \"/b c/\\\\x\" %C/*\nSizeMax=1K\nOn=\n[Cache b]\nPath=/b\nOn=x\n",
        "[Socket]\nPath=@x\nLook=privileged\n[Service]\nStopTimeout=infinity\nListenerTimeout=1min \\\n 5s\n",
    ])
    func printedConfigurationReadsBackTheSame(text: String) throws {
        let first = MemoryFiles.load(text)
        let settings = try #require(first.settings)

        let second = MemoryFiles.load(first.effective.printed())

        #expect(second.settings == settings)
        #expect(second.diagnostics.isEmpty)
    }
}

struct RestartKeyTests {
    @Test func restartKeysAreThoseNamedInTheShippedFile() throws {
        let path = ProjectFile.url("config/belfry.conf").path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let sentence = try #require(
            text.firstMatch(of: /These keys take effect only at a restart, (?s:.*?) refused: ((?s:.*?))\.\n\n/)
        ).1

        let named = sentence.matches(of: /(\w+)=/).map { String($0.1) }
        #expect(named.sorted() == BelfrySettings.restartKeys.map(\.name).sorted())
    }

    @Test(arguments: [
        ("[Service] DisabledListeners=", "video"), ("[Service] RuntimeDirectory=", "/run/other"),
        ("[Service] StateDirectory=", "/var/lib/other"), ("[Socket] Enabled=", "no"), ("[Socket] Path=", "@other"),
        ("[Socket] ReplaySize=", "2M"),
    ])
    func changeIsFoundWithItsPlace(key: String, value: String) {
        let old = MemoryFiles.load("")
        let new = MemoryFiles.load(key.replacing("] ", with: "]\n") + value + "\n")

        #expect(new.restartKeys(changedFrom: old) == ["\(key) (a.conf:2:1)"])
        #expect(old.restartKeys(changedFrom: new) == [key])
        #expect(new.restartKeys(changedFrom: new) == [])
    }

    @Test func sameValueInAnotherFileIsNoChange() {
        let old = MemoryFiles.load("")
        let new = MemoryFiles.load("[Logger]\nLevel=debug\n[Socket]\nEnabled=true\nReplaySize=4096K\n")

        #expect(new.restartKeys(changedFrom: old) == [])
    }
}
