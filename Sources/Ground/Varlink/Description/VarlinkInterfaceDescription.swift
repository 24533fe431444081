// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a server has to know of an interface that is described in Varlink's language (UAPI.20, «Interface Definition»).
package nonisolated struct VarlinkInterfaceDescription: Sendable, Equatable {
    /// A type.
    package indirect enum TypeReference: Sendable, Equatable {
        case bool, int, float, string, object, any
        case named(String)
        case structure([Field])
        case enumeration([String])
        case array(TypeReference)
        case map(TypeReference)
        case nullable(TypeReference)
    }

    /// A field of a structure.
    package struct Field: Sendable, Equatable {
        package let name: String
        package let type: TypeReference
    }

    /// The name of the interface.
    package let name: String
    /// The parameters of the methods.
    package let methods: [String: [Field]]
    /// The types.
    package let types: [String: TypeReference]

    init(name: String, methods: [String: [Field]], types: [String: TypeReference]) {
        self.name = name
        self.methods = methods
        self.types = types
    }

    /// Reads a description.
    ///
    /// - Throws: the error and its place in the text. Names that are declared twice or not at all are errors too.
    package init(_ text: String) throws(VarlinkDescriptionError) {
        var parser = DescriptionParser(text)
        self = try parser.interface()
    }
}

/// An error in the text of an interface description.
package nonisolated struct VarlinkDescriptionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error.
    package let reason: String
    /// The line, counted from 1.
    package let line: Int
    /// The column, counted from 1 in Unicode scalars.
    package let column: Int

    /// `12:5: expected a type`
    package var description: String { "\(line):\(column): \(reason)" }
}
