// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfryCommandLine
import Testing

struct CompletionWordsTests {
    @Test(
        arguments: [
            (["belfryctl", "--socket", "/run/x", "post"], ["--socket", "/run/x"]),
            (["belfryctl", "post", "--socket=/run/x"], ["--socket", "/run/x"]),
            (["belfryctl", "--socket", "=", "/run/x", "post"], ["--socket", "/run/x"]),
            (["belfryctl", "--socket=/run/x", "post", "--socket", "/run/y"], ["--socket", "/run/y"]),
            (["belfryctl", "-i", "video", "post"], ["-i", "video"]),
            (["belfryctl", "post", "--instance=video"], ["--instance", "video"]),
            (["belfryctl", "--instance", "=", "video", "post"], ["--instance", "video"]),
            (["belfryctl", "post"], []), (["belfryctl", "--socket"], []), (["belfryctl", "--sockets=/run/x"], []),
        ] as [([String], [String])])
    func theLastValueOfTheOptionCounts(words: [String], option: [String]) {
        #expect(CompletionWords.last(of: ["--socket", "--instance", "-i"], in: words) == option)
    }
}
