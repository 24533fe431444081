// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import FoundationEssentials

/// The work of both workers in Swift: the files in `jobs`, with a setting in the file `quality`.
public struct Work: Sendable {
    private let folder: URL

    /// Uses the folder that `$WORK` names.
    public init() { folder = URL(filePath: ProcessInfo.processInfo.environment["WORK"] ?? "/srv/worker") }

    /// Reads and checks the setting.
    public func quality() throws -> Int {
        let text = try String(contentsOf: folder.appending(path: "quality"), encoding: .utf8)
        guard let number = Int(text.prefix { $0 != "\n" }), 1...99 ~= number else { throw Problem() }
        return number
    }

    /// A job that waits, if there is one.
    public func next() -> String? {
        try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "jobs").path).first
    }

    /// Does a job.
    public func finish(_ job: String, quality: Int) async throws {
        try FileManager.default.removeItem(at: folder.appending(path: "jobs/\(job)"))
        try await Task.sleep(for: .milliseconds(300))
        say("\(job): quality \(quality)")
    }

    /// Gives memory back.
    public func flush() { say("flushed") }

    /// Writes a line to the file `log`.
    public func say(_ text: String) {
        let file = folder.appending(path: "log")
        let before = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        try? (before + text + "\n").write(to: file, atomically: true, encoding: .utf8)
    }

    /// What is wrong with the setting.
    public struct Problem: Error, CustomStringConvertible {
        /// For the log and for who asks for a reload.
        public let description = "quality is not 1 to 99"
    }
}
