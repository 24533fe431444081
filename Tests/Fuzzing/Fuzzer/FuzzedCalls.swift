// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfrySocket
import Varlink

/// What this thread allocates from now on counts as no leak.
@_silgen_name("__lsan_disable")
nonisolated func disableLeakSanitizer()

/// What it allocates from now on counts again.
@_silgen_name("__lsan_enable")
nonisolated func enableLeakSanitizer()

/// The calls of a connection: parameters that stay text match their declaration as those do that were read.
nonisolated enum FuzzedCalls {
    /// Parameters of all types.
    private static let everyType = """
        interface org.example
        type Side (left: ?int, right: []Kind)
        type Kind (one, two)
        method All(
          a: ?bool, b: int, c: float, d: string, e: ?object, f: ?[]string, g: [string]?int, h: ?Side, i: (on: bool), j: ?(x, y)
        ) -> ()
        """
    private static let methods = {
        // Nobody could tell that they are referred to: what is in the way are bits that Swift keeps in the addresses.
        disableLeakSanitizer()
        defer { enableLeakSanitizer() }
        return declared(["All"], in: everyType) + declared(["Attach", "Post"], in: lifecycleInterfaceText)
    }()

    private static func declared(
        _ names: [String], in text: String
    ) -> [(VarlinkInterfaceDescription, VarlinkInterfaceDescription.Method)] {
        guard let interface = try? VarlinkInterfaceDescription(text) else { preconditionFailure("cannot read \(text)") }
        return names.compactMap { name in interface.methods[name].map { (interface, $0) } }
    }

    static func check(_ frames: [[UInt8]]) {
        for frame in frames {
            // Not at the beginning of what is in memory, where places and indices would be the same.
            guard let call = try? VarlinkCall(message: ([0] + frame).dropFirst()) else { continue }
            let read = JSONObject(call.parameters.map { ($0.key, $0.value) })
            precondition(read == call.parameters, "parameters change when they are read")
            for (interface, method) in methods {
                let mismatch = interface.mismatch(call.parameters, with: method.input)
                if mismatch == nil {
                    precondition(interface.mismatch(read, with: method.input) == nil, "parameters match only as text")
                }
            }
            let parameters = PostParameters(call.parameters)
            _ = parameters.userInfo.count
        }
    }
}
