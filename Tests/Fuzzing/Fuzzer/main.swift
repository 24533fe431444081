// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// `Fuzzer TARGET [OPTION OF LIBFUZZER | FOLDER]…`: feeds a parser what libFuzzer makes up. A target ends the process when
// what it is given does what it must not: crash, or be read in two ways.

import Glibc

/// libFuzzer's own main, as a function: takes the arguments and calls back with each input.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

guard CommandLine.argc > 1, let target = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
    print("usage: Fuzzer \(FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")) [OPTION|FOLDER]...")
    exit(64)
}
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
// The name of the target goes, that of the program takes its place.
CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
arguments = CommandLine.unsafeArgv + 1
var count = CommandLine.argc - 1
exit(runDriver(&count, &arguments, target.body))
