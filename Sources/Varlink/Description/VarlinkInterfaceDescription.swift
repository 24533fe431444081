// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An interface in Varlink's description language (UAPI.20, «Interface Definition»), read into values.
///
/// Printed, it is a description with the same content, in one style.
public nonisolated struct VarlinkInterfaceDescription: Sendable, Equatable {
    /// A type.
    public indirect enum TypeReference: Sendable, Equatable {
        case bool, int, float, string, object, any
        case named(String)
        case structure([Field])
        case enumeration([EnumerationCase])
        case array(TypeReference)
        case map(TypeReference)
        case nullable(TypeReference)
    }

    /// A field of a structure.
    public struct Field: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The type.
        public let type: TypeReference
        /// The comment above it, line by line.
        public let documentation: [String]
    }

    /// One of the values of an enumeration.
    public struct EnumerationCase: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The comment above it, line by line.
        public let documentation: [String]
    }

    /// A method.
    public struct Method: Sendable, Equatable {
        /// The parameters.
        public let input: [Field]
        /// The parameters of its replies.
        public let output: [Field]
    }

    /// What a declaration declares.
    public enum Member: Sendable, Equatable {
        case type(TypeReference)
        case method(Method)
        case error([Field])
    }

    /// A declaration.
    public struct Declaration: Sendable, Equatable {
        /// The name.
        public let name: String
        /// What is declared.
        public let member: Member
        /// The comment above it, line by line.
        public let documentation: [String]
    }

    /// The name of the interface.
    public let name: String
    /// The comment above it, line by line.
    public let documentation: [String]
    /// The declarations, in order.
    public let declarations: [Declaration]
    /// The methods by their names.
    public let methods: [String: Method]
    /// The types by their names.
    public let types: [String: TypeReference]

    init(name: String, documentation: [String], declarations: [Declaration]) {
        self.name = name
        self.documentation = documentation
        self.declarations = declarations
        var methods: [String: Method] = [:]
        var types: [String: TypeReference] = [:]
        for declaration in declarations {
            switch declaration.member {
            case .method(let method): methods[declaration.name] = method
            case .type(let type): types[declaration.name] = type
            case .error: break
            }
        }
        self.methods = methods
        self.types = types
    }

    /// Reads a description.
    ///
    /// - Throws: what is wrong with the text and where, including names that are declared twice or not at all.
    public init(_ text: String) throws(VarlinkDescriptionError) {
        var parser = DescriptionParser(text)
        self = try parser.interface()
    }
}

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

/// Where the text of an interface description is wrong.
public nonisolated struct VarlinkDescriptionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public let reason: String
    /// The line, counted from 1.
    public let line: Int
    /// The column, counted in bytes from 1.
    public let column: Int

    init(_ reason: String, line: Int, column: Int) {
        self.reason = reason
        self.line = line
        self.column = column
    }

    /// `12:5: expected a type`
    public var description: String { "\(line):\(column): \(reason)" }
}
