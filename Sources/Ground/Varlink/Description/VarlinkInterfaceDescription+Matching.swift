// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension VarlinkInterfaceDescription {
    /// The first of `parameters` that does not match its declaration: it is missing or of the wrong type. Parameters
    /// that are not declared are checked last (UAPI.20, «Unknown Fields»). Inner fields are named with their path,
    /// `notification.name`.
    package func mismatch(_ parameters: JSONObject, with fields: [Field]) -> String? {
        let members = parameters.members
        var matched = 0
        // By index, so that no element is copied.
        for index in fields.indices {
            let place = members.indices.first { members[$0].key.hasSameBytes(as: fields[index].name) }
            if place != nil { matched += 1 }
            // In Varlink `null` is the same as absent.
            guard let place, !members[place].value.isNull else {
                if case .nullable = fields[index].type { continue }
                return fields[index].name
            }
            if let path = mismatch(members[place].value, fields[index].type) { return fields[index].name + path }
        }
        guard matched < members.count else { return nil }
        return members.first { member in !fields.contains { $0.name.hasSameBytes(as: member.key) } }?.key.echo
    }

    /// The path from a value to what does not match, empty for the value itself; nil when all matches.
    private func mismatch(_ value: JSONValue, _ type: TypeReference) -> String? {
        switch (type, value) {
        case (.bool, .bool), (.string, .string), (.object, .object), (.float, .int), (.float, .double): return nil
        case (.int, _): return value.intValue == nil ? "" : nil
        case (.any, _): return value.isNull ? "" : nil
        case (.nullable(let type), _): return value.isNull ? nil : mismatch(value, type)
        case (.named(let name), _): return types[name].map { mismatch(value, $0) } ?? ""
        case (.enumeration(let names), .string(let name)):
            return names.contains { $0.hasSameBytes(as: name) } ? nil : ""
        case (.structure(let fields), .object(let object)):
            return mismatch(object, with: fields).map { "." + $0 }
        case (.array(let type), .array(let elements)):
            for (index, element) in elements.enumerated() {
                if let path = mismatch(element, type) { return "[\(index)]" + path }
            }
            return nil
        case (.map(let type), .object(let object)):
            for (key, element) in object {
                if let path = mismatch(element, type) { return ".\(key.echo)" + path }
            }
            return nil
        default: return ""
        }
    }
}
