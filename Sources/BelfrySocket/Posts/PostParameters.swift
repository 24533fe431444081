// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// The parameters of `Post`.
package nonisolated struct PostParameters {
    package private(set) var name = ""
    /// What to pass on, which nobody has looked into.
    package private(set) var userInfo: UserInfo = [:]
    /// Whether the client waits for the listeners.
    package private(set) var waits = false

    /// Reads parameters that match the declaration of the method.
    package init(_ parameters: JSONObject) {
        let members = parameters.members
        for place in members.indices {
            let key = members[place].key
            switch members[place].value {
            case .string(let text) where key.hasSameBytes(as: "name"): name = text
            case .object(let object) where key.hasSameBytes(as: "userInfo"): userInfo = object
            case .bool(let flag) where key.hasSameBytes(as: "wait"): waits = flag
            default: break
            }
        }
    }
}
