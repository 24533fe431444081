// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import Belfry
import BelfryArgumentParser
import Testing

struct Thumbd: ParsableArguments {
    @OptionGroup var service: ServiceArguments
    @Option var threads = 4
}

/// The main of the documentation.
@MainActor func thumbd() {
    let arguments = Thumbd.parseOrExit()
    ServiceMain.run(ServiceOptions(name: "thumbd", version: "1.4", arguments.service)) { service in
        print(service.mediator.state, arguments.threads)
    }
}

@MainActor struct ServiceArgumentsTests {
    private func options(_ arguments: String...) throws -> ServiceOptions {
        ServiceOptions(name: "thumbd", version: "1.4", try Thumbd.parse(arguments).service)
    }

    @Test func optionsOverrideTheConfiguration() throws {
        let options = try options(
            "--socket", "@thumbd", "--log-level=debug", "--config", "a", "--config", "b", "--threads", "8",
            "--instance", "video")

        #expect(options.name == "thumbd" && options.version == "1.4")
        #expect(options.socketPath == "@thumbd" && options.logLevel == "debug")
        #expect(options.configurationFiles == ["a", "b"])
        #expect(options.instanceName == "thumbd@video")
        #expect(options.action == .run)
    }

    @Test func noOptionChangesNothing() throws {
        let options = try options()

        #expect(options.socketPath == nil && options.logLevel == nil && options.configurationFiles == nil)
        #expect(options.action == .run)
    }

    @Test func modesBecomeActions() throws {
        #expect(try options("--check-config", "--unit", "thumbd").action == .checkConfiguration)
        #expect(try options("--print-config").action == .printConfiguration)
    }

    @Test(arguments: [
        ["--log-level", "loud"], ["--instance", ".."], ["--unit", "thumbd"], ["--print-config", "--unit", "thumbd"],
    ])
    func invalidOptionsAreRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try Thumbd.parse(arguments) }
    }
}
