// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Reads Varlink's description language by recursive descent.
nonisolated struct DescriptionParser {
    typealias Description = VarlinkInterfaceDescription
    private static let maximumDepth = JSONParser.maximumDepth

    private var scanner: DescriptionScanner
    private var depth = 0
    private var names: Set<String> = []
    private var methods: [String: [Description.Field]] = [:]
    private var types: [String: Description.TypeReference] = [:]
    /// Types that were used, and where.
    private var used: [(name: String, position: DescriptionScanner)] = []

    init(_ text: String) { scanner = DescriptionScanner(text) }

    mutating func interface() throws(VarlinkDescriptionError) -> Description {
        scanner.skip()
        try scanner.keyword("interface")
        let name = try scanner.interfaceName()
        try scanner.endOfLine()
        scanner.skip()
        if scanner.isAtEnd { throw scanner.failure("expected a declaration") }
        while !scanner.isAtEnd {
            try declaration()
            try scanner.endOfLine()
            scanner.skip()
        }
        if let missing = used.first(where: { types[$0.name] == nil }) {
            throw missing.position.failure("type '\(missing.name)' is not declared")
        }
        return Description(name: name, methods: methods, types: types)
    }

    private mutating func declaration() throws(VarlinkDescriptionError) {
        let position = scanner
        let keyword = scanner.word()
        guard ["type", "error", "method"].contains(keyword) else {
            throw scanner.failure("expected 'type', 'method' or 'error'")
        }
        let name = try scanner.typeName()
        switch keyword {
        case "type": types[name] = try composite()
        case "error": _ = try structure()
        default:
            methods[name] = try structure()
            scanner.skip()
            try scanner.expect("->")
            _ = try structure()
        }
        if !names.insert(name).inserted { throw position.failure("'\(name)' is declared twice") }
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
        try enter()
        defer { depth -= 1 }
        scanner.skip()
        try scanner.expect("(")
        var fields: [Description.Field] = []
        var names: [String] = []
        scanner.skip()
        if scanner.accept(")") { return .structure([]) }
        while true {
            let position = scanner
            let name = try scanner.fieldName()
            guard !names.contains(name) else { throw position.failure("'\(name)' is declared twice") }
            scanner.skip()
            if scanner.accept(":") {
                guard fields.count == names.count else {
                    throw position.failure("'\(name)' has a type, others have none")
                }
                fields.append(.init(name: name, type: try type()))
            } else if !fields.isEmpty {
                throw position.failure("'\(name)' has no type")
            }
            names.append(name)
            scanner.skip()
            if scanner.accept(")") { return fields.isEmpty ? .enumeration(names) : .structure(fields) }
            try scanner.expect(",")
            scanner.skip()
        }
    }

    private mutating func type() throws(VarlinkDescriptionError) -> Description.TypeReference {
        try enter()
        defer { depth -= 1 }
        scanner.skip()
        if scanner.accept("?") {
            scanner.skip()
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
        case let name where DescriptionScanner.isTypeName(name):
            used.append((name, position))
            return .named(name)
        default: throw position.failure("expected a type")
        }
    }

    private mutating func enter() throws(VarlinkDescriptionError) {
        depth += 1
        if depth > Self.maximumDepth { throw scanner.failure("nested too deeply") }
    }
}
