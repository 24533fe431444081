// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A stand-in for belfryd: `LifecycleServiceProbe SOCKET` says `ready` and then executes the lines of
// standard input; with `SOCKET FILE` it answers every call with the bytes of the file. It ends with its standard input.

import CBelfry
import BelfryEventLoop
import Glibc

belfry_block_signals()
let loop = try MainEventLoop()
let arguments = CommandLine.arguments
let raw = try arguments.count > 2 ? RawService(arguments[1], answering: arguments[2], on: loop) : nil
let service = try raw == nil ? StandInService(arguments[1], on: loop) : nil
var input = LineReader(STDIN_FILENO)
let source = try loop.source(descriptor: STDIN_FILENO, .readable) { _ in
    for line in input.lines() { service?.perform(line) }
    if input.isAtEnd { loop.exit(0) }
}
print("ready")
fflush(nil)
exit(try loop.run())
