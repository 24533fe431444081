// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A stand-in for belfryd: `LifecycleServiceProbe SOCKET` says `ready` and then does what standard input tells it, a
// line each. It ends with its standard input.

import CSystemd
import EventLoop
import Glibc

belfry_block_signals()
let loop = try MainEventLoop()
let service = try StandInService(CommandLine.arguments[1], on: loop)
var input = LineReader(STDIN_FILENO)
let source = try loop.source(descriptor: STDIN_FILENO, .readable) { _ in
    for line in input.lines() { service.perform(line) }
    if input.isAtEnd { loop.exit(0) }
}
print("ready")
fflush(nil)
exit(try loop.run())
