// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

/// A JSON text: a parsed value is equal after it is written and parsed again, and matches its own type.
nonisolated enum FuzzedJSON {
    static func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        guard let value = try? JSONValue(json: Array(bytes)) else { return 0 }
        let text = value.description
        let again = try? JSONValue(json: Array(text.utf8))
        precondition(again == value, "a value changes when it is written")
        precondition(again?.description == text, "a value is written in two ways")
        return 0
    }
}
