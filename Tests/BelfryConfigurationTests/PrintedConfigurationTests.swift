// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct PrintedConfigurationTests {
    @Test func everyKeyIsPrintedWithItsOrigin() {
        let text = MemoryFiles.load("[Service]\nStopTimeout=1min\n[Cache a]\nPath=/a\nOn=x\nOn=\"y\"\n").effective
            .printed()

        #expect(text.hasPrefix("[Service]\n# default\nListenerTimeout=10s\n# a.conf:2\nStopTimeout=1min\n"))
        #expect(text.contains("\n\n[Cache a]\n# a.conf:4\nPath=/a\n"))
        #expect(text.hasSuffix("# a.conf:6\nOn=x y\n"))
        for section in ConfigurationSchema.belfry.sections {
            for key in section.keys { #expect(text.contains("\n\(key.name)=")) }
        }
    }

    @Test(arguments: [
        "", "[Signals]\nRTMIN+3=x\nUSR1=ignore\n",
        "[Cache a]\nPath=//a b/\\\\\nSizeMax=1K\nOn=\n[Cache b]\nPath=/b\nOn=x\n",
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
