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
}

nonisolated extension VarlinkInterfaceDescription {
    /// Reads a description.
    ///
    /// - Throws: the first error.
    package init(_ text: String) throws(VarlinkDescriptionError) {
        var parser = DescriptionParser(text)
        self = try parser.interface()
    }
}

/// An error in the text of an interface description, and what comes after it.
package nonisolated struct VarlinkDescriptionError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String
}
