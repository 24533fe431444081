// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation

/// A probe program run as a child of the test, read line by line.
final class ProbeProcess {
    let process = Process()
    private let output = Pipe()
    private var buffer = Data()

    init(_ program: String, _ arguments: [String]) throws {
        let folder = Bundle.main.executableURL.map { $0.deletingLastPathComponent() } ?? URL(fileURLWithPath: ".")
        let built = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() } + [folder]
        let candidates = built.map { $0.appendingPathComponent(program) }
        guard let executable = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "\(candidates.map(\.path))"])
        }
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    var pid: Int32 { process.processIdentifier }

    /// The next line, or nil at the end of the output.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            buffer.append(more)
        }
    }

    /// All lines up to the end, and the exit status.
    func finish() -> (lines: [String], status: Int32) {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        process.waitUntilExit()
        return (lines, process.terminationStatus)
    }
}
