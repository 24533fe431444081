// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryLinux

/// Why a call brought no result.
public nonisolated enum VarlinkError: Error, Sendable, Equatable {
    /// The service answered with an error.
    case failed(name: String, parameters: JSONObject)
    /// The service could not be reached, or the connection failed.
    case system(SystemError)
    /// The connection was closed before the answer came.
    case closed
    /// The service broke the protocol; the connection was closed.
    case protocolViolation(VarlinkProtocolError)
    /// The task that waited was cancelled.
    case cancelled
}

nonisolated extension VarlinkError: CustomStringConvertible {
    /// What to tell people.
    public var description: String {
        switch self {
        case .failed(let name, let parameters):
            "service answered '\(SystemError.escape(name))'"
                + (parameters.isEmpty ? "" : ": \(JSONValue.object(parameters))")
        case .system(let error): "\(error)"
        case .closed: "service closed the connection"
        case .protocolViolation(let error): "service broke the protocol: \(error)"
        case .cancelled: "cancelled"
        }
    }
}
