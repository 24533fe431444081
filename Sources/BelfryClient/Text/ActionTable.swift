// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// What listeners offer to do.
package nonisolated enum ActionTable {
    /// A heading and a row for each, from the reply of `ListActions`.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var table = TextTable([("ID", .left), ("TITLE", .left)])
        for action in reply.objects("actions") { table.add([action.textOrDash("id"), action.textOrDash("title")]) }
        return table.lines(style)
    }
}
