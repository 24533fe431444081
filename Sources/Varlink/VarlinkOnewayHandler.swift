// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Takes a call that wants no answer right from its message. Nothing in `parameters`, where these are, has been looked at,
/// and it is for the handler to make sure that it is one JSON object. False says that it is not as expected and that
/// nothing was done: the call then goes the way of all others. `attachment` is what methods keep with the connection.
package nonisolated struct VarlinkOnewayHandler {
    /// What it does.
    package typealias Body = (
        _ message: ArraySlice<UInt8>, _ parameters: Range<Int>, _ attachment: (any AnyObject & Sendable)?
    ) -> Bool

    // In a structure, since a function that is kept as a value of a type that is not known is called in a roundabout way.
    let take: Body

    /// A handler that does this.
    package init(_ take: @escaping Body) { self.take = take }
}
