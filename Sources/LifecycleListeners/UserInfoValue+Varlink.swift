// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
package import BelfryJSON

/// User info on the wire: what the mediator calls a value, the socket calls JSON.
nonisolated extension UserInfoValue {
    /// The value that JSON stands for.
    package init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .int(let value): .int(value)
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .array(let values): .array(values.map { UserInfoValue($0) })
            case .object(let object): .object(UserInfo(object))
            }
    }

    /// The value as JSON.
    package var json: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .array(let values): .array(values.map(\.json))
        case .object(let info): .object(info.json)
        }
    }
}

nonisolated extension UserInfo {
    /// Reads an object, or `null`, which is the same as none.
    package init(_ parser: inout JSONParser) throws(JSONParseError) {
        self = [:]
        guard parser.nextOfValue == UInt8(ascii: "{") else {
            _ = try parser.value()
            return
        }
        try parser.members { (key, parser) throws(JSONParseError) in
            self[key.string] = UserInfoValue(try parser.value())
        }
    }

    /// The info that a JSON object stands for; of a name that comes twice the last one counts.
    package init(_ object: JSONObject) {
        self.init(object.map { ($0.key, UserInfoValue($0.value)) }) { _, last in last }
    }

    /// The members by name, so that the same info is always the same text.
    package var json: JSONObject {
        var object = JSONObject(minimumCapacity: count)
        forEachByName { object.append($0, $1.json) }
        return object
    }

    /// Visits the members in the order of their names.
    package func forEachByName(_ visit: (String, UserInfoValue) -> Void) {
        if count <= 1 {
            for (key, value) in self { visit(key, value) }
        } else {
            for (key, value) in sorted(by: { $0.key < $1.key }) { visit(key, value) }
        }
    }
}
