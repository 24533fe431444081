// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// The pages for Swift developers show what their services and belfryctl print.
@MainActor @Suite(.timeLimit(.minutes(1)))
struct SwiftTourTests {
    @Test(arguments: [
        ("FiveMinutes", "camerad", "camerad", "export BELFRY_SOCKET=$XDG_RUNTIME_DIR/camerad/io.belfry.Lifecycle"),
        ("GettingStarted", "videodWithSocket", "videod", ""),
    ])
    func showsRealOutput(name: String, sample: String, program: String, export: String) throws {
        let file = ProjectFile.url("Sources/Service/Belfry/Belfry.docc/\(name).md")
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(page.contains("`swift run \(program)`") || page.contains("$ swift run \(program)\n"))
        #expect(export.isEmpty || page.contains("`\(export)`"))
        let fixture = DaemonFixture()
        let runtime = fixture.directory.url.path
        let environment = ["SAMPLE": sample, "RUNTIME_DIRECTORY": "\(runtime)/\(program)"]
        let service = try fixture.start("DocumentationSnippets", [], environment: environment)
        #expect(fixture.manager.wait(for: "READY=1"))

        for lines in blocks("console", in: page) {
            let commands = lines.filter { $0.hasPrefix("$ belfryctl") }.map { $0.dropFirst(2) }.joined(separator: "\n")
            let printed = try shell("\(export)\n{ \(commands)\n} 2>&1", runtime)
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

    private func shell(_ script: String, _ runtime: String) throws -> [String] {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        let programs = URL(filePath: try ProbeProcess.path(of: "belfryctl")).deletingLastPathComponent().path
        process.environment = ["XDG_RUNTIME_DIR": runtime, "PATH": "\(programs):/usr/bin:/bin"]
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
