// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A stand-in for belfry-fleetd: `FleetServiceProbe SOCKET REPLY...` says `ready`, and serves `io.belfry.Fleet` with these replies
// until its standard input ends.

import BelfryEventLoop
import CBelfry
import Glibc
import Varlink

belfry_block_signals()
let loop = try MainEventLoop()
let info = VarlinkServiceInfo(vendor: "Belfry", product: "belfry-fleetd", version: "9.8", url: "https://example.org")
let fleet = StandInFleet()
for text in CommandLine.arguments.dropFirst(2) { fleet.add(text) }
let server = try VarlinkServer(info, on: loop)
server.add(try fleet.interface())
try server.listen(on: CommandLine.arguments[1])
let source = try loop.source(descriptor: STDIN_FILENO, .readable) { _ in loop.exit(0) }
print("ready")
fflush(nil)
exit(try loop.run())
