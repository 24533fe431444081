// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import BelfryEventLoop
import Glibc

/// Starts children that end in different ways, and prints how they ended.
final class ChildScene {
    private let loop: MainEventLoop
    private var sources: [LoopSource] = []
    private var waiting = 2

    init(_ loop: MainEventLoop) { self.loop = loop }

    func run() throws {
        try start("exit 3")
        try start("kill -USR1 $$")
    }

    private func start(_ script: String) throws {
        var pid: pid_t = 0
        let words: [String] = ["sh", "-c", script]
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        guard belfry_spawn(&pid, "/bin/sh", &arguments, environ, -1, -1, -1) == 0 else { exit(71) }
        sources.append(
            try loop.source(child: pid) { [self] child in
                say(child.pid == pid ? "\(child.reason)" : "another child")
                waiting -= 1
                if waiting == 0 { loop.exit(0) }
            })
    }
}
