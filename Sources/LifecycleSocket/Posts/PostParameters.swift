// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// The parameters of `Post`, read in one pass.
package nonisolated struct PostParameters {
    package private(set) var name = ""
    /// What to pass on, which nobody has looked into.
    package private(set) var userInfo: UserInfo = [:]
    /// Whether the client waits for the listeners.
    package private(set) var waits = false

    /// Reads parameters that match the declaration of the method.
    package init(_ parameters: JSONObject) {
        parameters.read { (key, parser) throws(JSONParseError) in
            switch key {
            case "name": name = try parser.value().stringValue ?? ""
            case "userInfo": userInfo = try parser.value().objectValue ?? [:]
            case "wait": waits = try parser.value().boolValue ?? false
            default: _ = try parser.skipValue()
            }
        }
    }
}
