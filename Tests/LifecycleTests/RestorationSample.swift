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

    static let value: UserInfoValue = [
        "none": .null, "yes": true, "no": false, "small": -1, "big": .int(.min), "half": 0.5, "zero": -0.0,
        "text": "e\u{301} 👩‍👩‍👧 \0", "list": [1, "two", 3.0, []], "tree": ["a": ["b": ["c": .int(.max)]]],
    ]

    static func randomValue(_ generator: inout SeededRandom, level: Int = 0) -> UserInfoValue {
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

    /// The bytes with length and checksum set right, so that what lies between is really read.
    static func sealed(_ payload: [UInt8], version: UInt16 = 1) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x42, 0x52, 0x53, 0x0D, 0x0A, 0x1A, 0x0A]
        withUnsafeBytes(of: version.littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt32(payload.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes += payload
        withUnsafeBytes(of: checksum(bytes).littleEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// What lies between the header and the checksum.
    static func payload(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropFirst(14).dropLast(4)) }

    /// CRC-32 bit by bit, apart from the one under test.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var rest: UInt32 = ~0
        for byte in bytes {
            rest ^= UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
        }
        return ~rest
    }
}
