// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Foundation

/// A program of this package with the environment of the test, of which one stream is read line by line.
public final class ProbeProcess {
    /// Which of its streams is read.
    public enum Stream {
        case output, error
    }

    private let child: ChildProgram
    private let stream: Stream
    /// Called again and again while `finish` or `wait(for:)` waits.
    public var whileFinishing: (() -> Void)?

    /// Starts `program` with `environment` over that of the test.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], reading stream: Stream = .output
    ) throws {
        self.stream = stream
        child = try ChildProgram(
            program, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    }

    /// The process.
    public var pid: Int32 { child.pid }

    /// Sends it a signal.
    public func send(_ signal: Int32) { kill(pid, signal) }

    /// The next line, or nil at the end of the stream. A log record on standard error is returned without its time and level.
    public func line() -> String? { line(meanwhile: nil) }

    private func line(meanwhile: (() -> Void)?) -> String? {
        guard stream == .error else { return child.line(meanwhile: meanwhile) }
        return child.errorLine(meanwhile: meanwhile)?.replacing(#/^\d{4}-\d\d-\d\dT[\d:.]+Z [a-z]+ /#, with: "")
    }

    /// The next line with everything in it.
    public func wholeLine() -> String? { stream == .error ? child.errorLine() : child.line() }

    /// The lines up to and including the first that contains `text`; all lines if none does, and one more that says so if the
    /// stream has not ended.
    @discardableResult
    public func lines(until text: String) -> [String] {
        var lines: [String] = []
        while let line = line() {
            lines.append(line)
            if line.contains(text) { return lines }
        }
        return child.isLate ? lines + ["no line with this text in a minute"] : lines
    }

    /// All lines up to the end, and the exit status: 128 + n when signal n ended it.
    public func finish() -> (lines: [String], status: Int32) {
        var lines: [String] = []
        while let line = line(meanwhile: { [self] in whileFinishing?() }) { lines.append(line) }
        return (lines, child.status())
    }

    /// Sends SIGTERM, and then does what `finish` does.
    public func stop() -> (lines: [String], status: Int32) {
        send(SIGTERM)
        return finish()
    }

    /// The signals for which it has a handler, as a mask with bit n - 1 for signal n (`SigCgt` of proc(5)).
    public func handledSignals() throws -> UInt64 {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let mask = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:\t") }
        return mask.flatMap { UInt64($0.dropFirst(8), radix: 16) } ?? 0
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
