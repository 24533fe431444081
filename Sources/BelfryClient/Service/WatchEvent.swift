// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// What a watch has to tell.
package nonisolated enum WatchEvent: Sendable, Equatable {
    /// Where the service is: at the beginning and after every new connection.
    case state(JSONObject)
    /// Something happened.
    case notification(JSONObject)
    /// What the user should know about the connection.
    case note(String)
}
