// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import Varlink

/// The record of the calls of listeners for one or more notifications.
nonisolated struct JournalTimeline {
    /// The array in `BELFRY_TIMELINE`.
    let steps: JSONValue
    /// When it was written, which is after the last call, in microseconds of CLOCK_REALTIME.
    let realtimeUsec: Int64
    /// The same by CLOCK_MONOTONIC.
    let monotonicUsec: Int64

    /// The calls for notifications of these names, or for all if there are no names, each with the time of its end:
    /// `{"sequence":…,"name":…,"listener":…,"realtimeUsec":…,"outcome":…,"durationUsec":…}`.
    func calls(for names: [String] = []) -> [JSONObject] {
        var calls: [JSONObject] = []
        for step in steps.arrayValue?.compactMap(\.objectValue) ?? [] {
            let name = step["notification"]?.stringValue ?? ""
            guard names.isEmpty || names.contains(where: { $0.hasSameBytes(as: name) }) else { continue }
            for call in step.objects("listeners") {
                let duration = call.number("durationUsec") ?? 0
                let end = (call.number("startUsec") ?? 0).adding(duration)
                var object: JSONObject = [
                    "sequence": .int(step.number("sequence") ?? 0), "name": .string(name),
                    "listener": call["listener"] ?? "",
                    "realtimeUsec": .int(realtimeUsec.subtracting(monotonicUsec.subtracting(end))),
                    "outcome": call["outcome"] ?? "", "durationUsec": .int(duration),
                ]
                object["work"] = call["work"]
                calls.append(object)
            }
        }
        return calls
    }
}
