// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import Testing

struct CompletionKindTests {
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
        #expect(ConnectionWords.last(of: words) == option)
    }
}
