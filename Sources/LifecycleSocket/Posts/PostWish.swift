// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
internal import LifecycleListeners
package import Varlink

/// What a client wants to have posted. It is read from the message itself.
package nonisolated struct PostWish {
    package private(set) var name = ""
    package private(set) var userInfo: UserInfo = [:]
    /// Whether the client waits for the listeners.
    package private(set) var waits = false

    /// The wish in parameters that were found to be right.
    package init(_ parameters: JSONText) {
        parameters.read { (key, parser) throws(JSONParseError) in
            switch key {
            case "name": name = try parser.value().stringValue ?? ""
            case "userInfo": userInfo = try UserInfo(&parser)
            case "wait": waits = try parser.value().boolValue ?? false
            default: _ = try parser.value()
            }
        }
    }

    /// User info that is an object in JSON which was found to be right.
    package static func userInfo(_ text: ArraySlice<UInt8>) -> UserInfo { UserInfo(JSONText(text).object) }
}
