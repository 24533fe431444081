// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import CBelfry
import Foundation
internal import Glibc

/// A child process of the test, with pipes as standard streams. Every wait has a timeout, after which the child is killed
/// and the result is nil.
public final class ChildProgram {
    /// How the process ended.
    public struct End: Equatable {
        /// Its exit status, or 128 and the number of the signal.
        public let status: Int32
        /// The rest of its standard output.
        public let output: String
        /// The rest of its standard error.
        public let errors: String

        /// An end as a test expects it.
        public init(status: Int32, output: String, errors: String) {
            self.status = status
            self.output = output
            self.errors = errors
        }

        /// Whether a character other than the end of a line could control a terminal.
        public var controlsTerminal: Bool {
            (output + errors).unicodeScalars.contains { scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator, .format: scalar != "\n"
                default: false
                }
            }
        }
    }

    /// Its process id.
    public let pid: Int32
    /// Objects that must live as long as the child.
    public var companion: AnyObject?
    private var input: Int32
    private var output: ChildPipe
    private var errors: ChildPipe
    private var isReaped = false

    /// Starts `program` from the directory of built products, with this environment only.
    public init(_ program: String, _ arguments: [String], environment: [String: String] = [:], outputTo: Int32? = nil)
        throws
    {
        let path = try ProbeProcess.path(of: program)
        var ends = [Int32](repeating: -1, count: 6)
        for index in [0, 2, 4] {
            // Closed on exec: another child must not keep these pipes open.
            try ends.withUnsafeMutableBufferPointer { buffer in
                guard pipe(buffer.baseAddress! + index) == 0 else {
                    throw SystemError.last(verb: "make", object: "pipe")
                }
            }
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A sanitizer and the coverage have the same options as in the tests.
        let options = ProcessInfo.processInfo.environment.filter {
            $0.key.hasSuffix("SAN_OPTIONS") || $0.key == "LLVM_PROFILE_FILE"
        }
        let variables = environment.merging(options) { $1 }.map { "\($0.key)=\($0.value)" }
        let environment = variables + ["SWIFT_BACKTRACE=enable=no"]
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer {
            for text in argv + envp { free(text) }
        }
        var pid: pid_t = 0
        let result = belfry_spawn(&pid, path, &argv, &envp, true, [ends[0], outputTo ?? ends[3], ends[5]], 3)
        for end in [ends[0], ends[3], ends[5]] { close(end) }
        // Before `self.pid` is set: 0 would be the group of the test itself.
        try SystemError.check(result, verb: "start", object: path)
        input = ends[1]
        output = ChildPipe(ends[2])
        errors = ChildPipe(ends[4])
        self.pid = pid
    }

    isolated deinit {
        if !isReaped {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
        closeInput()
    }

    /// Writes to the standard input of the child.
    public func say(_ line: String) {
        let text = line + "\n"
        write(input, text, text.utf8.count)
    }

    /// Closes its standard input.
    public func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Closes the reading end of its output.
    public func closeOutput() { output.close() }

    /// The next line of standard output, or nil at its end. `meanwhile` is called again and again.
    public func line(meanwhile: (() -> Void)? = nil) -> String? { output.line(meanwhile: meanwhile) }

    /// Waits for output, which is kept for `line` and `end`, and returns whether there was any.
    public func beginsToWrite() -> Bool { output.begin() }

    /// The next line of standard error, or nil at its end. `meanwhile` is called again and again.
    public func errorLine(meanwhile: (() -> Void)? = nil) -> String? { errors.line(meanwhile: meanwhile) }

    /// Waits for the end of the child, and returns its output.
    public func end() -> End {
        let rest = (output.rest(), errors.rest())
        return End(status: status(), output: rest.0, errors: rest.1)
    }

    /// Whether it wrote nothing more within a minute, and a stream has not ended.
    var isLate: Bool { output.isLate || errors.isLate }

    /// Waits for the end of the child, whose output is over.
    func status() -> Int32 {
        if isLate { kill(pid, SIGKILL) }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        isReaped = true
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}

/// The reading end of a standard stream of a child.
public struct ChildPipe {
    // Programs with sanitizers or counters are slow on a busy machine.
    private static let limit: Int32 = 60_000

    private var descriptor: Int32
    private var buffer: [UInt8] = []
    /// Whether nothing came for so long.
    private(set) var isLate = false

    /// The pipe with this reading end.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next line, or nil at the end or after 60 s.
    public mutating func line(meanwhile: (() -> Void)? = nil) -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            guard fill(meanwhile) else { return nil }
        }
    }

    /// Waits for bytes; returns false at the end or after the timeout.
    public mutating func begin() -> Bool { fill() }

    /// Everything up to the end.
    public mutating func rest() -> String {
        while fill() {}
        defer { close() }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Closes the descriptor.
    public mutating func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    private mutating func fill(_ meanwhile: (() -> Void)? = nil) -> Bool {
        guard descriptor >= 0 else { return false }
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let interval = meanwhile == nil ? Self.limit : 10
        var waited: Int32 = 0
        while poll(&state, 1, interval) == 0 {
            waited += interval
            isLate = waited >= Self.limit
            guard !isLate else { return false }
            meanwhile?()
        }
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }
}
