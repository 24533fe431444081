// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import Testing

struct CompletionKindTests {
    @Test(
        arguments: [
            (["belfryctl", "--socket", "/run/x", "post"], "/run/x"),
            (["belfryctl", "post", "--socket=/run/x"], "/run/x"),
            (["belfryctl", "--socket", "=", "/run/x", "post"], "/run/x"),
            (["belfryctl", "--socket=/run/x", "post", "--socket", "/run/y"], "/run/y"),
            (["belfryctl", "post"], nil), (["belfryctl", "--socket"], nil), (["belfryctl", "--sockets=/run/x"], nil),
        ] as [([String], String?)])
    func theLastValueOfTheOptionCounts(words: [String], value: String?) {
        #expect(SocketOption.last(of: words) == value)
    }
}
