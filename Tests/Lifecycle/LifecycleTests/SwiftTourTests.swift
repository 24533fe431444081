// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// The tour for Swift developers shows what its service and belfryctl print.
@MainActor @Suite(.timeLimit(.minutes(1)))
struct SwiftTourTests {
    @Test func showsRealOutput() throws {
        let tour = ProjectFile.url("Sources/Service/Belfry/Belfry.docc/FiveMinutes.md")
        let page = try String(contentsOf: tour, encoding: .utf8)
        let fixture = try DaemonFixture()
        let service = try fixture.start("DocumentationSnippets", [], environment: ["SAMPLE": "camerad"])
        #expect(fixture.manager.wait(for: "READY=1"))

        for lines in blocks("console", in: page).filter({ $0.contains { $0.hasPrefix("$ belfryctl") } }) {
            let commands = lines.filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }.joined(separator: "\n")
            let printed = try shell("{ \(commands)\n} 2>&1", fixture.directory.path("run/io.belfry.Lifecycle"))
            #expect(printed.map(shape) == lines.filter { !$0.hasPrefix("$ ") }.map(shape))
        }

        let logged = service.stop().lines.map(shape)
        for lines in blocks("text", in: page) {
            for line in lines { #expect(logged.contains(shape(line)), "\(line), but \(logged)") }
        }
    }

    /// The lines of each code block in this language.
    private func blocks(_ language: String, in page: String) -> [[String]] {
        page.components(separatedBy: "```\(language)\n").dropFirst().map { rest in
            rest.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
        }
    }

    private func shell(_ script: String, _ socket: String) throws -> [String] {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        let programs = URL(filePath: try ProbeProcess.path(of: "belfryctl")).deletingLastPathComponent().path
        process.environment = ["BELFRY_SOCKET": socket, "PATH": "\(programs):/usr/bin:/bin"]
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return output.components(separatedBy: "\n").dropLast()
    }

    /// The line without times, and without the process that sent a signal.
    private func shape(_ line: String) -> String {
        line.replacing(#/^camerad: /#, with: "").replacing(#/\d+(\.\d+)? (us|ms|s)\b/#, with: "TIME")
            .replacing(#/from pid \d+ \([^)]+\), uid \d+/#, with: "SENDER")
            .replacing(#/ +/#, with: " ")
    }
}
