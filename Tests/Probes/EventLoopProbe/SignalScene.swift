// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import BelfryEventLoop
import Glibc

/// Prints each signal with sender and value; SIGTERM ends it.
final class SignalScene {
    private let loop: MainEventLoop
    private var sources: [LoopSource] = []

    init(_ loop: MainEventLoop) { self.loop = loop }

    func run() throws {
        for number in [SIGTERM, SIGUSR1, belfry_sigrtmin() + 5] {
            sources.append(
                try loop.source(signal: number) { [self] signal in
                    say("\(number) \(signal.senderPID) \(signal.senderUID) \(signal.value)")
                    if number == SIGTERM { loop.exit(0) }
                })
        }
        say("ready")
    }
}
