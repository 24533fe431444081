// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An interface that a server offers: its description, and the handlers of its methods.
@MainActor package struct VarlinkInterface {
    /// Handles a call. It is called on the main thread. It may store the request and reply later.
    package typealias Handler = (VarlinkRequest) -> Void

    /// The name of the interface.
    package let name: String
    /// The text of the description, as clients get it.
    let text: String
    let methods: [String: Handler]

    /// Makes an interface from its description in Varlink's language. A declared method without a handler fails with
    /// `MethodNotImplemented`, and so does any call with `upgrade`.
    ///
    /// - Parameters:
    ///   - text: the description.
    ///   - methods: handlers, by the short names of methods.
    /// - Throws: the error in the text, or the handler that has no declaration.
    package init(_ text: String, methods: [String: Handler]) throws(VarlinkDescriptionError) {
        let description = try VarlinkInterfaceDescription(text)
        self.init(named: description.name, constant: text, methods: methods)
        for name in methods.keys.sorted() where description.methods[name] == nil {
            throw VarlinkDescriptionError(description: "method '\(name)' is not declared in \(description.name)")
        }
    }

    /// Makes an interface whose description a test has parsed. The server parses it at the first call: that of
    /// `io.belfry.Lifecycle` takes a quarter of the instructions of a start.
    package init(named name: String, constant text: String, methods: [String: Handler]) {
        self.name = name
        self.text = text
        self.methods = methods
    }
}
