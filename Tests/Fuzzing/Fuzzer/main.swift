// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// `FUZZ_TARGET=TARGET Fuzzer [OPTION OF LIBFUZZER | FOLDER]…`: runs a parser on inputs of libFuzzer. A target aborts the
// process if an input crashes it or is parsed in two ways. The target is in the environment because libFuzzer starts
// itself again to merge.

import Glibc

/// libFuzzer's own main, as a function: takes the arguments and calls back with each input.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

guard let name = getenv("FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
    print("FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    exit(64)
}
var arguments = CommandLine.unsafeArgv
var count = CommandLine.argc
exit(
    withUnsafeMutablePointer(to: &arguments) { pointer in
        pointer.withMemoryRebound(
            to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self, capacity: 1
        ) { runDriver(&count, $0, target.body) }
    })
