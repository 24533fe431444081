// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension VarlinkInterfaceDescription: CustomStringConvertible {
    /// The description in Varlink's language.
    public var description: String {
        var text = Self.comment(documentation, "") + "interface \(name)\n"
        for declaration in declarations {
            text += "\n" + Self.comment(declaration.documentation, "")
            switch declaration.member {
            case .type(let type): text += "type \(declaration.name) \(type.text(""))\n"
            case .error(let fields): text += "error \(declaration.name) \(TypeReference.structure(fields).text(""))\n"
            case .method(let method):
                let input = TypeReference.structure(method.input).text("")
                text += "method \(declaration.name)\(input) -> \(TypeReference.structure(method.output).text(""))\n"
            }
        }
        return text
    }

    fileprivate static func comment(_ lines: [String], _ indent: String) -> String {
        lines.map { "\(indent)#\($0.isEmpty ? "" : " ")\($0)\n" }.joined()
    }
}

nonisolated extension VarlinkInterfaceDescription.TypeReference {
    /// The type as it is written at this indentation.
    fileprivate func text(_ indent: String) -> String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "string"
        case .object: "object"
        case .any: "any"
        case .named(let name): name
        case .array(let type): "[]" + type.text(indent)
        case .map(let type): "[string]" + type.text(indent)
        case .nullable(let type): "?" + type.text(indent)
        case .structure(let fields):
            Self.list(
                fields.map { (field: VarlinkInterfaceDescription.Field) in
                    (field.documentation, "\(field.name): \(field.type.text(indent + "  "))")
                }, indent)
        case .enumeration(let cases): Self.list(cases.map { ($0.documentation, $0.name) }, indent)
        }
    }

    /// On one line when it is short and has no comments.
    private static func list(_ entries: [(documentation: [String], text: String)], _ indent: String) -> String {
        let line = "(" + entries.map(\.text).joined(separator: ", ") + ")"
        let isPlain = entries.allSatisfy { $0.documentation.isEmpty && !$0.text.contains("\n") }
        if isPlain, indent.count + line.count <= 80 { return line }
        let inner = indent + "  "
        let lines = entries.map {
            VarlinkInterfaceDescription.comment($0.documentation, inner) + inner + $0.text
        }
        return "(\n" + lines.joined(separator: ",\n") + "\n\(indent))"
    }
}
