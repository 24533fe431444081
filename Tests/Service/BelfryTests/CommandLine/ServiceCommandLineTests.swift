// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import TestSupport
import Testing

@testable import Belfry

struct ServiceCommandLineTests {
    @Test func optionsTakeTheirValueInEitherForm() throws {
        let line = try ServiceCommandLine(["--config", "a", "--config=b", "--socket=@x", "--log-level", "3"])

        #expect(line.mode == .run && line.configurationFiles == ["a", "b"])
        #expect(line.socketPath == "@x" && line.logLevel == "3")
    }

    @Test func instanceHasItsOwnNameFilesAndDirectories() throws {
        let line = try ServiceCommandLine(["--instance", "video"])

        let options = ServiceOptions(name: "belfryd", fileName: "belfry", version: nil, line)

        #expect(options.name == "belfryd" && options.instanceName == "belfryd@video")
        #expect(options.directoryName == "belfry@video")
        #expect(options.configurationSources == .search(root: "", name: "belfry", instance: "video"))
    }

    @Test(arguments: [
        (["--instance", "../etc"], "invalid instance '../etc', expected letters"),
        (["--instance="], "missing name of the instance"),
        (["--chek-config"], "unknown argument '--chek-config', did you mean '--check-config'?"),
        (["--config"], "missing value for '--config'"),
        (["--unit", "a"], "unknown argument '--unit'"),
        (["file"], "unknown argument 'file'"),
    ])
    func invalidArgumentIsNamed(arguments: [String], expected: String) {
        let problem = #expect(throws: ValueProblem.self) { try ServiceCommandLine(arguments) }

        #expect(problem?.message.hasPrefix(expected) == true, "\(problem?.message ?? "")")
    }

    /// The service of the documentation that parses its own arguments with swift-argument-parser.
    @Test func argumentsOfEveryServiceArePassedOnInOrder() throws {
        let directory = try TemporaryDirectory()
        try directory.write("a", "[Logger]\nTarget=null\nLevel=info\n")
        try directory.write("b", "[Logger]\nLevel=err\n")

        let done = try ChildProgram(
            "OwnArgumentsProbe",
            ["--config", directory.path("a"), "--threads", "8", "--print-config", "--config", directory.path("b")]
        ).end()

        #expect(done.status == 0 && done.errors.isEmpty)
        #expect(done.output.contains("Target=null") && done.output.contains("Level=err"))
        #expect(try ChildProgram("OwnArgumentsProbe", ["--chek-config"]).end().status == 64)
    }
}
