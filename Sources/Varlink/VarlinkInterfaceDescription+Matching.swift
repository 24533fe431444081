// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension VarlinkInterfaceDescription {
    /// The first of `parameters` that does not match its declaration: missing, of the wrong type or not declared
    /// (UAPI.20, «Unknown Fields»). Inner fields are named with their path, `notification.name`.
    public func mismatch(_ parameters: JSONObject, with fields: [Field]) -> String? {
        for field in fields {
            guard let value = parameters[field.name], !value.isNull else {
                if case .nullable = field.type { continue }
                return field.name
            }
            if let path = mismatch(value, field.type, field.name) { return path }
        }
        guard parameters.count > 0 else { return nil }
        return parameters.first { member in !fields.contains { $0.name == member.key } }?.key
    }

    func mismatch(_ value: JSONValue, _ type: TypeReference, _ path: String) -> String? {
        switch (type, value) {
        case (.bool, .bool), (.string, .string), (.object, .object), (.float, .int), (.float, .double): return nil
        case (.int, _): return value.intValue == nil ? path : nil
        case (.any, _): return value.isNull ? path : nil
        case (.nullable(let type), _): return value.isNull ? nil : mismatch(value, type, path)
        case (.named(let name), _): return types[name].map { mismatch(value, $0, path) } ?? path
        case (.enumeration(let cases), .string(let name)): return cases.contains { $0.name == name } ? nil : path
        case (.structure(let fields), .object(let object)):
            return mismatch(object, with: fields).map { "\(path).\($0)" }
        case (.array(let type), .array(let elements)):
            for (index, element) in elements.enumerated() {
                if let path = mismatch(element, type, "\(path)[\(index)]") { return path }
            }
            return nil
        case (.map(let type), .object(let object)):
            for (key, element) in object {
                if let path = mismatch(element, type, "\(path).\(key)") { return path }
            }
            return nil
        default: return path
        }
    }
}
