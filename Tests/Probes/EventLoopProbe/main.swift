// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A program for the tests to run and to signal: `EventLoopProbe SCENE` prints its events, one line each.

import CBelfry
import BelfryEventLoop
import Glibc

belfry_block_signals()
let loop = try MainEventLoop()
switch CommandLine.arguments.dropFirst().first {
case "main-actor": try MainActorScene(loop).run()
case "signals": try SignalScene(loop).run()
default: exit(64)
}
exit(try loop.run())
