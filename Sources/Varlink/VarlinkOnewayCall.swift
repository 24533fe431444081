// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A call that wants no answer, as it stands in the message: nothing of its parameters has been looked at.
package struct VarlinkOnewayCall: ~Copyable {
    /// Takes the call; false, and it has done nothing, when the parameters are not as it expects them. The call then
    /// goes the way of all others, where they are checked, and goes wrong if they are.
    package typealias Handler = (borrowing VarlinkOnewayCall) -> Bool

    private let message: ArraySlice<UInt8>
    private let range: Range<Int>
    private let connection: ServerConnection

    /// - Parameter range: where in the message the parameters are.
    init(_ message: ArraySlice<UInt8>, _ range: Range<Int>, on connection: ServerConnection) {
        self.message = message
        self.range = range
        self.connection = connection
    }

    /// What stands where the parameters are. Whoever takes the call makes sure that it is one JSON object and nothing else.
    package var parameters: ArraySlice<UInt8> { message[range] }
    /// What methods keep with the connection; see `VarlinkRequest.attachment`.
    package var attachment: (any AnyObject & Sendable)? { connection.attachment }
}
