// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryEventLoop
import BelfryJSON
import BelfryLinux
import CBelfry
import Glibc

/// A program that runs. It has the notification as a file on standard input, so that it makes no difference whether it
/// reads it. When it ends, whatever it has started ends too.
@MainActor
final class ProgramRun {
    private let groups: RunControlGroups?
    private let group: RunControlGroup?
    private var child: ChildProcess?
    private var streams: [ProgramStream] = []
    private let onEnd: (RunResult) -> Void
    /// The result of a run that was ended.
    private var ending: RunResult?

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - command: the program, with its environment.
    ///   - content: what it finds on standard input.
    ///   - groups: the control groups of runs; nil for a process group alone.
    ///   - log: where its output goes. Without a journal, standard output is that of this process.
    ///   - isQuiet: whether its output is only read for the reason of a failure.
    ///   - onEnd: called when the program has ended.
    /// - Throws: when the program cannot be started.
    init(
        _ command: ChildCommand, _ content: JSONObject, in groups: RunControlGroups?, on loop: MainEventLoop,
        log: ListenerLog, isQuiet: Bool, onEnd: @escaping (RunResult) -> Void
    ) throws(SystemError) {
        self.groups = groups
        self.onEnd = onEnd
        let text = Array(JSONLine.text(content).utf8) + [UInt8(ascii: "\n")]
        let input = OwnedDescriptor(
            owning: try SystemError.check(
                belfry_sealed_copy("belfry-notification", text, text.count), verb: "write", object: "notification"))
        lseek(input.number, 0, SEEK_SET)
        let errors = try ProgramStream(.error, on: loop, to: isQuiet ? nil : log)
        let output = log.isJournal || isQuiet ? try ProgramStream(.output, on: loop, to: isQuiet ? nil : log) : nil
        group = try groups?.make()
        var command = command
        command.descriptors = [input.number, output?.writeEnd ?? STDOUT_FILENO, errors.writeEnd]
        command.controlGroup = group?.processes.number
        defer {
            output?.closeWriteEnd()
            errors.closeWriteEnd()
        }
        do throws(SystemError) {
            // The process keeps this object until it ends.
            child = try ChildProcess(command, on: loop) { [self] in ended($0) }
        } catch {
            if let group { groups?.end(group) }
            throw error
        }
        streams = [errors] + (output.map { [$0] } ?? [])
    }

    /// Ends the program and everything that it has started.
    func end(as result: RunResult) {
        guard let child, child.exit == nil else { return }
        ending = result
        if let group { groups?.kill(group) }
        // It may have left the unit's control group, or have no group of its own.
        kill(-child.pid, SIGKILL)
    }

    private func ended(_ exit: ChildExit) {
        // What the program has left behind. It is not reaped yet, so no other process group has its id.
        kill(-exit.pid, SIGKILL)
        if let group { groups?.end(group) }
        for stream in streams { stream.finish() }
        child = nil
        onEnd(result(exit))
    }

    private func result(_ exit: ChildExit) -> RunResult {
        if let ending { return ending }
        let words = streams.lazy.compactMap(\.lines.reason).first
        switch exit.reason {
        case .exited(0): return .succeeded(streams.first { $0.kind == .output }?.lines.last)
        case .exited(let number): return .failed(words ?? "exit status \(number)")
        // Its last words are not the cause.
        case .signaled(let number):
            return .failed("ended by \(SignalName.full(number))" + (words.map { ": \($0)" } ?? ""))
        }
    }
}

/// One of the two output streams of a program.
@MainActor
final class ProgramStream {
    /// What a pipe may still hold when the program has ended.
    private static let longestRest = 1 << 20

    private(set) var lines = OutputLines()
    private(set) var writeEnd: Int32
    let kind: ListenerLog.Stream
    private let readEnd: OwnedDescriptor
    private let log: ListenerLog?
    private var source: DescriptorEventSource?

    init(_ kind: ListenerLog.Stream, on loop: MainEventLoop, to log: ListenerLog?) throws(SystemError) {
        self.kind = kind
        self.log = log
        var ends: [Int32] = [-1, -1]
        try SystemError.check(belfry_pipe(&ends), verb: "make", object: "pipe")
        readEnd = OwnedDescriptor(owning: ends[0])
        writeEnd = ends[1]
        // The program's end blocks, as programs expect it.
        _ = fcntl(writeEnd, F_SETFL, 0)
        source = try loop.source(descriptor: readEnd.number, .readable) { [weak self] _ in _ = self?.read() }
    }

    isolated deinit { closeWriteEnd() }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    /// Reads what is left. Other processes may still have the pipe, so its end need not come.
    func finish() {
        var count = 0
        while count < Self.longestRest, let more = read() { count += more }
        source = nil
        for line in lines.end(at: .now) { log?.write(line, of: kind) }
    }

    /// Reads once. Returns how much; nil if there is nothing to read.
    private func read() -> Int? {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, size in
            count = Glibc.read(readEnd.number, buffer.baseAddress, buffer.count)
            size = max(0, count)
        }
        guard count > 0 else {
            if count == 0 || errno != EAGAIN && errno != EINTR { source = nil }
            return nil
        }
        for line in lines.add(bytes, at: .now) { log?.write(line, of: kind) }
        return count
    }
}
