// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryConfiguration
import Glibc

/// The message for a command line that is not valid.
enum UsageMessage {
    private static let program = "belfryctl"
    /// The options of every command. They may precede its name.
    private static let options = ["--socket", "--timeout", "--instance", "-i"]

    /// Ends the process after a failure of the parser: prints help or a version that was asked for, or the message.
    static func exit(with error: any Error) -> Never {
        guard Belfryctl.exitCode(for: error) == .validationFailure else { Belfryctl.exit(withError: error) }
        let commands = Belfryctl.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        let arguments = Array(CommandLine.arguments.dropFirst())
        StandardStream.error.writeIfPossible(
            lines(Belfryctl.message(for: error), arguments: arguments, commands: commands))
        Glibc.exit(CommandStatus.usage.rawValue)
    }

    /// The lines for a message of ArgumentParser, such as `Unknown option '--jsn'. Did you mean '--json'?`.
    ///
    /// - Parameters:
    ///   - arguments: the arguments, without the name of the program.
    ///   - commands: the names of the commands.
    static func lines(_ message: String, arguments: [String], commands: [String]) -> [String] {
        var text = message
        var help = program
        if let word = command(in: arguments) {
            // Compared as bytes: `==` normalises.
            if commands.contains(where: { $0.utf8.elementsEqual(word.utf8) }) {
                help += " \(word)"
            } else {
                text = "unknown command '\(word)'\(NearestName.question(word, in: commands))"
            }
        }
        return ["\(program): \(PrintableText.line(inHouseForm(text)))", "Try '\(help) --help'."]
    }

    /// The first word that is neither an option nor the value of one.
    private static func command(in arguments: [String]) -> String? {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.utf8.first == UInt8(ascii: "-") else { return word }
            if options.contains(word) { rest = rest.dropFirst() }
        }
        return nil
    }

    /// A small first letter, and a suggestion as part of the sentence.
    private static func inHouseForm(_ message: String) -> String {
        var text = message.prefix(1).lowercased() + message.dropFirst()
        let question = ". Did you mean "
        if let place = text.firstRange(of: question) { text.replaceSubrange(place, with: ", did you mean ") }
        return text
    }
}
