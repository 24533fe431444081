// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import TestSupport

nonisolated extension SeededRandom {
    /// Any JSON value.
    mutating func value(depth: Int) -> JSONValue {
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
            return .object(JSONObject(members))
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
