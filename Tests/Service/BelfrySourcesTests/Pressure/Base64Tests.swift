// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySources
import Foundation
import TestSupport
import Testing

struct Base64Tests {
    @Test(arguments: ["", "AA==", "AAA=", "AAAA", " A A\nA=\t"])
    func everyLengthIsDecoded(text: String) {
        let digits = text.filter { !$0.isWhitespace && $0 != "=" }.count

        #expect(Base64.decode(text) == [UInt8](repeating: 0, count: digits * 3 / 4))
    }

    @Test(arguments: ["A", "AA", "AAA", "A===", "====", "AA=A", "AA==AAAA", "AAAA=", "A-AA", "AAÄ="])
    func invalidTextIsRefused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func decodingMatchesFoundation() {
        var random = SeededRandom(seed: 3)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64.decode(Data(bytes).base64EncodedString()) == bytes)
        }
    }
}
