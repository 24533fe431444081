// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An interface in Varlink's description language (UAPI.20, «Interface Definition»), read into values.
///
/// Printed, it is a description again, of the same content and in one style.
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
        /// What it takes.
        public let input: [Field]
        /// What it answers.
        public let output: [Field]
    }

    /// What an interface declares under a name.
    public enum Member: Sendable, Equatable {
        case type(TypeReference)
        case method(Method)
        case error([Field])
    }

    /// A declaration.
    public struct Declaration: Sendable, Equatable {
        /// The name.
        public let name: String
        /// What it names.
        public let member: Member
        /// The comment above it, line by line.
        public let documentation: [String]
    }

    /// The name of the interface.
    public let name: String
    /// The comment above it, line by line.
    public let documentation: [String]
    /// What it declares, in order.
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
    /// - Throws: what is wrong with the text and where, names that are declared twice or not at all included.
    public init(_ text: String) throws(VarlinkDescriptionError) {
        var parser = DescriptionParser(text)
        self = try parser.interface()
    }
}
