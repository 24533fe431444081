// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A peer for other implementations: `VarlinkProbe serve ADDRESS` serves the certification interface of varlink.org;
// `VarlinkProbe certify ADDRESS` calls it as a client, prints each result and exits 0 on success;

import CBelfry
import BelfryEventLoop
import Glibc
import Varlink

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(64) }
belfry_block_signals()
let loop = try MainEventLoop()
let stop = try loop.source(signals: [SIGTERM]) { _ in loop.exit(0) }
switch arguments[1] {
case "serve": exit(try serve(on: arguments[2]))
case "certify": exit(try certify(arguments[2]))
default: exit(64)
}

func serve(on address: String) throws -> Int32 {
    let server = try CertificationService(on: loop)
    defer { server.close() }
    try server.listen(on: address)
    return try loop.run()
}

func certify(_ address: String) throws -> Int32 {
    let client = CertificationClient(try VarlinkClient(address, on: loop))
    MainThreadExecutor.task { loop.exit(await client.run()) }
    let code = try loop.run()
    say("threads \(threadCount())")
    return code
}

/// The threads of this process, from /proc/self/task.
func threadCount() -> Int {
    guard let folder = opendir("/proc/self/task") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
        if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    return count
}

/// Writes a line immediately; print(_:) buffers if the output is a pipe.
func say(_ line: String) {
    let text = line + "\n"
    write(STDOUT_FILENO, text, text.utf8.count)
}
