// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import TestSupport

/// An archive with every kind of value, and random ones.
nonisolated enum RestorationSample {
    static func archive() throws -> RestorationArchive {
        var archive = RestorationArchive()
        try archive.insert(.init(version: 3, value: value), for: "player")
        try archive.insert(.init(version: -1, value: .null), for: "Zürich/2")
        try archive.insert(.init(version: .max, value: [1, [2, [3, [:]]]]), for: "socket")
        return archive
    }

    static let value: JSONValue = [
        "none": .null, "yes": true, "no": false, "small": -1, "big": .int(.min), "half": 0.5, "zero": -0.0,
        "text": "e\u{301} 👩‍👩‍👧 \0", "list": [1, "two", 3.0, []], "tree": ["a": ["b": ["c": .int(.max)]]],
    ]

    static func randomValue(_ generator: inout SeededRandom, level: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(level < 6 ? 8 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .int(Int64(truncatingIfNeeded: generator.next()) >> Int64.random(in: 0..<64, using: &generator))
        case 3: return .double(Double(Int64(truncatingIfNeeded: generator.next())) / 3)
        case 4, 5: return .string(randomString(&generator))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
                    randomValue(&generator, level: level + 1)
                })
        default:
            var object: UserInfo = [:]
            for _ in 0..<Int.random(in: 0..<5, using: &generator) {
                object[randomString(&generator)] = randomValue(&generator, level: level + 1)
            }
            return .object(object)
        }
    }

    static func randomString(_ generator: inout SeededRandom) -> String {
        let letters = ["a", "é", "e\u{301}", "\0", "京", "🎬", "\"", "\\", " "]
        return (0..<Int.random(in: 0..<12, using: &generator)).map { _ in letters.randomElement(using: &generator)! }
            .joined()
    }
}
