// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// What each signal does.
package nonisolated enum SignalTable {
    /// A heading and a row for each, from the reply of `ListSignals`.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var table = TextTable([("SIGNAL", .left), ("NUMBER", .right), ("ACTION", .left)])
        for signal in reply.objects("signals") {
            table.add([signal.textOrDash("signal"), signal.numberOrDash("number"), signal.textOrDash("action")])
        }
        return table.lines(style)
    }
}
