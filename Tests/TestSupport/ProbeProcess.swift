// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Foundation

/// A program of this package, run as a child of the test and read line by line.
public final class ProbeProcess {
    /// Which of its streams is read.
    public enum Stream {
        case output, error
    }

    private let process = Process()
    private let pipe = Pipe()
    private let stream: Stream
    private var buffer = Data()
    /// Called again and again while `finish` or `wait(for:)` waits.
    public var whileFinishing: (() -> Void)?

    /// Starts `program` with `environment` over that of the test.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], reading stream: Stream = .output
    ) throws {
        self.stream = stream
        process.executableURL = try Self.find(program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        switch stream {
        case .output: process.standardOutput = pipe
        case .error: process.standardError = pipe
        }
        try process.run()
    }

    /// The process.
    public var pid: Int32 { process.processIdentifier }

    /// Sends it a signal.
    public func send(_ signal: Int32) { kill(pid, signal) }

    /// The timeout for a line, in milliseconds. Then the process is killed, so that the test continues and fails.
    private static let timeout: Int32 = 30_000
    private static let interval: Int32 = 10

    /// The next line, or nil at the end of the stream. A log record on standard error is returned without its time and level.
    public func line() -> String? { line {} }

    private func line(meanwhile: () -> Void) -> String? {
        let line = wholeLine(meanwhile: meanwhile)
        return stream == .error ? line?.replacing(#/^\d{4}-\d\d-\d\dT[\d:.]+Z [a-z]+ /#, with: "") : line
    }

    /// The next line with everything in it.
    public func wholeLine() -> String? { wholeLine {} }

    private func wholeLine(meanwhile: () -> Void) -> String? {
        var waited: Int32 = 0
        while true {
            if let end = buffer.firstIndex(of: 10) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            var ready = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            while poll(&ready, 1, Self.interval) == 0 {
                meanwhile()
                waited += Self.interval
                if waited == Self.timeout { send(SIGKILL) }
            }
            let more = pipe.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            buffer.append(more)
        }
    }

    /// The lines up to and including the first that contains `text`; all lines if none does.
    @discardableResult
    public func lines(until text: String) -> [String] {
        var lines: [String] = []
        while let line = line() {
            lines.append(line)
            if line.contains(text) { break }
        }
        return lines
    }

    /// All lines up to the end, and the exit status: 128 + n when signal n ended it.
    public func finish() -> (lines: [String], status: Int32) {
        var lines: [String] = []
        while let line = line(meanwhile: { whileFinishing?() }) { lines.append(line) }
        process.waitUntilExit()
        let isSignal = process.terminationReason == .uncaughtSignal
        return (lines, process.terminationStatus + (isSignal ? 128 : 0))
    }

    /// Sends SIGTERM, and then does what `finish` does.
    public func stop() -> (lines: [String], status: Int32) {
        send(SIGTERM)
        return finish()
    }

    /// Waits until the process is in `state` (proc(5): `S` sleeps, `T` is stopped).
    public func wait(for state: Character) throws {
        while true {
            let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            if stat.split(separator: ")").last?.dropFirst().first == state { return }
            whileFinishing?()
            sched_yield()
        }
    }

    /// The path of a program of this package.
    public static func path(of program: String) throws -> String { try find(program).path }

    private static func find(_ program: String) throws -> URL {
        let bundles = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.executableURL].compactMap { $0 }
        let candidates = bundles.map { $0.deletingLastPathComponent().appendingPathComponent(program) }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "\(candidates.map(\.path))"])
        }
        return found
    }
}
