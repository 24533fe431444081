// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A key made from whatever there is: the place in an array, or `super`.
nonisolated struct JSONCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    /// Where a superclass keeps its part, as Foundation's coders have it.
    static let parent = JSONCodingKey(stringValue: "super")

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
