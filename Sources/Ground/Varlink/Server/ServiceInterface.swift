// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// `org.varlink.service`, which the server answers itself.
nonisolated enum ServiceInterface {
    static let name = "org.varlink.service"

    /// The error for a method that gave no answer. The standard has none for it.
    static let internalError = VarlinkReply(error: "io.belfry.Varlink.InternalError")

    static let text = """
        # Describes the service and the interfaces it has.
        interface org.varlink.service

        # What the service is, and which interfaces it has.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # The description of an interface, with its documentation.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The service does not have this interface.
        error InterfaceNotFound (interface: string)

        # The interface does not have this method.
        error MethodNotFound (method: string)

        # The interface has this method, but the service does not implement it.
        error MethodNotImplemented (method: string)

        # One of the parameters is missing, unknown, of the wrong type or out of range.
        error InvalidParameter (parameter: string)

        # The client may not do that.
        error PermissionDenied ()

        # The method is to be called with 'more'.
        error ExpectedMore ()

        # The method is to be called with 'upgrade'.
        error ExpectedUpgrade ()

        """

    /// The interface, as the server answers it.
    @MainActor
    static func interface(of table: InterfaceTable) -> VarlinkInterface {
        VarlinkInterface(
            named: name, constant: text,
            methods: [
                "GetInfo": { [unowned table] in $0.reply(table.infoParameters) },
                "GetInterfaceDescription": { [unowned table] request in
                    let name = request.parameters["interface"]?.stringValue ?? ""
                    guard let text = table.text(of: name) else { return request.fail(.interfaceNotFound(name)) }
                    request.reply(["description": .string(text)])
                },
            ])
    }
}
