// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

/// The same numbers on every run (SplitMix64).
nonisolated struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Any JSON value.
    mutating func value(depth: Int) -> VarlinkValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &self) {
        case 0: return .null
        case 1: return .bool(.random(using: &self))
        case 2: return .int(Int64(bitPattern: next()))
        case 3:
            let double = Double(bitPattern: next())
            return .double(double.isFinite ? double : 0.5)
        case 4, 5: return .string(text())
        case 6: return .array((0..<Int.random(in: 0..<5, using: &self)).map { _ in value(depth: depth - 1) })
        default:
            let members = (0..<Int.random(in: 0..<25, using: &self)).map { _ in (text(), value(depth: depth - 1)) }
            return .object(VarlinkObject(members))
        }
    }

    mutating func text() -> String {
        let scalars = (0..<Int.random(in: 0..<12, using: &self)).map { _ in
            Unicode.Scalar(UInt32.random(in: 0..<0x11_0000, using: &self)) ?? "x"
        }
        var text = ""
        for scalar in scalars { text.unicodeScalars.append(Bool.random(using: &self) ? scalar : "a") }
        return text
    }
}
