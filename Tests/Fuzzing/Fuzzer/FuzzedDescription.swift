// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

/// An interface description: it is parsed or refused with a position, and values can be checked against it.
nonisolated enum FuzzedDescription {
    private static let samples: [JSONObject] = {
        // As in FuzzedCalls: LeakSanitizer does not recognise the addresses, in which Swift stores bits.
        disableLeakSanitizer()
        defer { enableLeakSanitizer() }
        return [
            [:], ["a": 1], ["a": ["b": .null, "c": [1, 2.5, "x"]]], ["a": "b", "c": [["a": true]], "d": ["e": [:]]],
        ]
    }()

    static func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(VarlinkDescriptionError) {
            let description = try VarlinkInterfaceDescription(text)
            for fields in description.methods.values {
                for sample in samples { _ = description.mismatch(sample, with: fields) }
            }
        } catch {
            precondition(error.line > 0 && error.column > 0)
        }
        return 0
    }
}
