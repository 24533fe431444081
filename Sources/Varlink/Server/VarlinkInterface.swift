// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An interface that a server offers: its description, and what its methods do.
public struct VarlinkInterface {
    /// Answers a call. It is called on the main thread, and may keep the request and answer later.
    public typealias Handler = (VarlinkRequest) -> Void

    /// What the interface declares.
    public let description: VarlinkInterfaceDescription
    /// The description as its author wrote it, which is what clients get to read.
    public let text: String
    /// What the methods do, by their short names.
    public let methods: [String: Handler]

    /// What the methods do that hand the connection over, by their short names.
    public let upgrades: [String: Handler]

    /// Makes an interface from its description in Varlink's language. A method that is declared and has no handler
    /// answers `MethodNotImplemented`.
    ///
    /// - Parameters:
    ///   - text: the description.
    ///   - methods: what methods do, by their short names.
    ///   - upgrades: what methods do that end with `upgrade` or an error. Without the flag they are answered with
    ///     `ExpectedUpgrade`, unless they are in `methods` as well.
    /// - Throws: where the text is wrong, or which handler has no declaration.
    public init(
        _ text: String, methods: [String: Handler], upgrades: [String: Handler] = [:]
    ) throws(VarlinkDescriptionError) {
        description = try VarlinkInterfaceDescription(text)
        self.text = text
        self.methods = methods
        self.upgrades = upgrades
        for name in (Array(methods.keys) + upgrades.keys).sorted() where description.methods[name] == nil {
            throw VarlinkDescriptionError("method '\(name)' is not declared in \(description.name)", line: 1, column: 1)
        }
    }

    /// The name of the interface.
    public var name: String { description.name }
}
