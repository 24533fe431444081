// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Glibc

/// Sources, asynchronous code and child tasks side by side on one thread.
final class MainActorScene {
    private let loop: MainEventLoop
    private var sources: [LoopSource] = []
    private var lines: Set<String> = []
    private let thread = pthread_self()

    init(_ loop: MainEventLoop) { self.loop = loop }

    func run() throws {
        let deferred = try loop.deferred { [self] in note("deferred") }
        deferred.schedule()
        sources.append(deferred)
        sources.append(try loop.timer(after: .milliseconds(5)) { [self] in note("timer") })
        MainThreadExecutor.task { [self] in
            note("task")
            await resumedByTimer()
            note("continuation")
            async let one = later(1)
            async let two = later(2)
            async let three = later(3)
            note("children \(await one + two + three)")
        }
    }

    private func later(_ number: Int) async -> Int {
        await resumedByTimer()
        return number
    }

    private func resumedByTimer() async {
        await withCheckedContinuation { continuation in
            do {
                sources.append(try loop.timer(after: .milliseconds(5)) { continuation.resume() })
            } catch {
                say("\(error)")
                exit(1)
            }
        }
    }

    private func note(_ line: String) {
        lines.insert(pthread_equal(pthread_self(), thread) != 0 ? line : "\(line) on another thread")
        guard lines.count == 5 else { return }
        lines.sorted().forEach { say($0) }
        say("threads \(threadCount())")
        loop.exit(7)
    }

    private func threadCount() -> Int {
        guard let directory = opendir("/proc/self/task") else { return -1 }
        defer { closedir(directory) }
        var count = -2
        while readdir(directory) != nil { count += 1 }
        return count
    }
}

/// Prints each signal with sender and value; SIGTERM ends it.
final class SignalScene {
    private let loop: MainEventLoop
    private var sources: [LoopSource] = []

    init(_ loop: MainEventLoop) { self.loop = loop }

    func run() throws {
        let realTime = __libc_current_sigrtmin() + 5
        let receive = { [self] (signal: ReceivedSignal) in
            say("\(signal.number) \(signal.senderPID) \(signal.senderUID) \(signal.value)")
            if signal.number == SIGTERM { loop.exit(0) }
        }
        // Signals that move to another source leave the real-time signal behind, alone.
        let all = try loop.source(signals: [SIGTERM, SIGUSR1, realTime], receive)
        try all.watch([realTime])
        sources = [all, try loop.source(signals: [SIGTERM, SIGUSR1], receive)]
        say("ready")
    }
}

/// Writes a line immediately; print(_:) buffers if the output is a pipe.
func say(_ line: String) {
    let text = line + "\n"
    write(STDOUT_FILENO, text, text.utf8.count)
}
