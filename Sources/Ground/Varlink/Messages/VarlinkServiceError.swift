// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The errors of `org.varlink.service`, which any method may answer with.
package nonisolated enum VarlinkServiceError: Sendable, Equatable {
    /// The service does not have this interface.
    case interfaceNotFound(String)
    /// The interface does not have this method, fully-qualified.
    case methodNotFound(String)
    /// The interface has this method, fully-qualified, but the service does not implement it.
    case methodNotImplemented(String)
    /// This parameter is missing, unknown, of the wrong type or out of range.
    case invalidParameter(String)
    /// The client is not permitted to do that.
    case permissionDenied
    /// The method must be called with `more`.
    case expectedMore

    /// The fully-qualified name.
    package var name: String {
        let name =
            switch self {
            case .interfaceNotFound: "InterfaceNotFound"
            case .methodNotFound: "MethodNotFound"
            case .methodNotImplemented: "MethodNotImplemented"
            case .invalidParameter: "InvalidParameter"
            case .permissionDenied: "PermissionDenied"
            case .expectedMore: "ExpectedMore"
            }
        return "org.varlink.service.\(name)"
    }

    /// The parameters of the error. A long name is cut.
    package var parameters: JSONObject {
        switch self {
        case .interfaceNotFound(let name): ["interface": .string(name.echo)]
        case .methodNotFound(let name), .methodNotImplemented(let name):
            ["method": .string(name.echo)]
        case .invalidParameter(let name): ["parameter": .string(name.echo)]
        case .permissionDenied, .expectedMore: [:]
        }
    }
}

nonisolated extension String {
    /// As much of a client's text as an error repeats.
    var echo: String { cut(toBytes: 255) }
}
