// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfrySocket
import Varlink

/// LeakSanitizer ignores what this thread allocates from now on.
@_silgen_name("__lsan_disable")
nonisolated func disableLeakSanitizer()

/// Ends `__lsan_disable`.
@_silgen_name("__lsan_enable")
nonisolated func enableLeakSanitizer()

/// The calls of a connection: unparsed parameters match their declaration if and only if parsed ones do.
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
        // LeakSanitizer does not recognise the addresses, in which Swift stores bits.
        disableLeakSanitizer()
        defer { enableLeakSanitizer() }
        return declared(["All"], in: everyType) + declared(["Attach", "Post"], in: lifecycleInterfaceText)
    }()

    private static func declared(
        _ names: [String], in text: String
    ) -> [(VarlinkInterfaceDescription, [VarlinkInterfaceDescription.Field])] {
        guard let interface = try? VarlinkInterfaceDescription(text) else { preconditionFailure("cannot read \(text)") }
        return names.compactMap { name in interface.methods[name].map { (interface, $0) } }
    }

    static func check(_ frames: [[UInt8]]) {
        for frame in frames {
            // Not at the start of the memory, where offsets and indices would be equal.
            guard let call = try? VarlinkCall(message: ([0] + frame).dropFirst()) else { continue }
            let read = JSONObject(call.parameters.map { ($0.key, $0.value) })
            precondition(read == call.parameters, "parameters change when they are read")
            for (interface, fields) in methods {
                let mismatch = interface.mismatch(call.parameters, with: fields)
                if mismatch == nil {
                    precondition(interface.mismatch(read, with: fields) == nil, "parameters match only as text")
                }
            }
        }
    }
}
