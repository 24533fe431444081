// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Reads Varlink's description language by recursive descent.
nonisolated struct DescriptionParser {
    typealias Description = VarlinkInterfaceDescription
    private static let maximumDepth = 64

    var scanner: DescriptionScanner
    private var depth = 0
    /// Types that were used, and where.
    private var used: [(name: String, error: VarlinkDescriptionError)] = []

    init(_ text: String) { scanner = DescriptionScanner(text) }

    mutating func interface() throws(VarlinkDescriptionError) -> Description {
        let documentation = scanner.skip()
        try scanner.keyword("interface")
        let name = try scanner.interfaceName()
        try scanner.endOfLine()
        var declarations: [Description.Declaration] = []
        var names: Set<String> = []
        while true {
            let documentation = scanner.skip()
            if scanner.isAtEnd { break }
            let position = scanner
            let declaration = try declaration(documentation)
            guard names.insert(declaration.name).inserted else {
                throw position.failure("'\(declaration.name)' is declared twice")
            }
            declarations.append(declaration)
            if !scanner.isAtEnd { try scanner.endOfLine() }
        }
        if declarations.isEmpty { throw scanner.failure("expected a declaration") }
        let description = Description(name: name, documentation: documentation, declarations: declarations)
        if let missing = used.first(where: { description.types[$0.name] == nil }) { throw missing.error }
        return description
    }

    private mutating func declaration(
        _ documentation: [String]
    ) throws(VarlinkDescriptionError) -> Description.Declaration {
        switch scanner.word() {
        case "type":
            let name = try scanner.typeName()
            return .init(name: name, member: .type(try composite()), documentation: documentation)
        case "error":
            let name = try scanner.typeName()
            return .init(name: name, member: .error(try structure()), documentation: documentation)
        case "method":
            let name = try scanner.typeName()
            let input = try structure()
            _ = scanner.skip()
            try scanner.expect("->")
            let method = Description.Method(input: input, output: try structure())
            return .init(name: name, member: .method(method), documentation: documentation)
        default: throw scanner.failure("expected 'type', 'method' or 'error'")
        }
    }

    private mutating func structure() throws(VarlinkDescriptionError) -> [Description.Field] {
        let position = scanner
        guard case .structure(let fields) = try composite() else {
            throw position.failure("expected fields with types")
        }
        return fields
    }

    /// A structure or an enumeration. `()` is a structure without fields.
    private mutating func composite() throws(VarlinkDescriptionError) -> Description.TypeReference {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.maximumDepth { throw scanner.failure("nested too deeply") }
        _ = scanner.skip()
        try scanner.expect("(")
        var fields: [Description.Field] = []
        var cases: [Description.EnumerationCase] = []
        var names: Set<String> = []
        var documentation = scanner.skip()
        if scanner.accept(")") { return .structure([]) }
        while true {
            let position = scanner
            let name = try scanner.fieldName()
            guard names.insert(name).inserted else { throw position.failure("'\(name)' is declared twice") }
            _ = scanner.skip()
            if scanner.accept(":") {
                guard cases.isEmpty else { throw position.failure("'\(name)' has a type, others have none") }
                fields.append(.init(name: name, type: try type(), documentation: documentation))
            } else {
                guard fields.isEmpty else { throw position.failure("'\(name)' has no type") }
                cases.append(.init(name: name, documentation: documentation))
            }
            _ = scanner.skip()
            if scanner.accept(")") { return fields.isEmpty ? .enumeration(cases) : .structure(fields) }
            try scanner.expect(",")
            documentation = scanner.skip()
        }
    }

    private mutating func type() throws(VarlinkDescriptionError) -> Description.TypeReference {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.maximumDepth { throw scanner.failure("nested too deeply") }
        _ = scanner.skip()
        if scanner.accept("?") {
            _ = scanner.skip()
            if scanner.next("?") { throw scanner.failure("a nullable type cannot be nullable again") }
            return .nullable(try type())
        }
        if scanner.accept("[]") { return .array(try type()) }
        if scanner.accept("[string]") { return .map(try type()) }
        if scanner.next("(") { return try composite() }
        let position = scanner
        switch scanner.word() {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        case "any": return .any
        case let name where name.utf8.first.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") } ?? false:
            used.append((name, position.failure("type '\(name)' is not declared")))
            return .named(name)
        default: throw position.failure("expected a type")
        }
    }
}
