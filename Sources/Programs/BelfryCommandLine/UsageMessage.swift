// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import ArgumentParser
import BelfryClient
import BelfryConfiguration
import Glibc

/// The message for a command line that is not valid.
package enum UsageMessage {
    /// What systemd does, and these programs do not.
    private static let commandsOfSystemd = ["start", "stop", "restart", "kill"]

    /// Ends the process after a failure of the parser: prints help or a version that was asked for, or the message.
    package static func exit(with error: any Error, of root: any ParsableCommand.Type, options: [String]) -> Never {
        guard root.exitCode(for: error) == .validationFailure else { root.exit(withError: error) }
        let arguments = Array(CommandLine.arguments.dropFirst())
        StandardStream.error.write(
            lines(root.message(for: error), arguments: arguments, of: root, options: options))
        Glibc.exit(CommandStatus.usage.rawValue)
    }

    /// The lines for a message of ArgumentParser, such as `Unknown option '--jsn'. Did you mean '--json'?`.
    ///
    /// - Parameters:
    ///   - arguments: the arguments, without the name of the program.
    ///   - command: the command of the program.
    ///   - options: the options of every command that have a value.
    private static func lines(
        _ message: String, arguments: [String], of command: any ParsableCommand.Type, options: [String]
    ) -> [String] {
        let program = command.configuration.commandName ?? ""
        var text = message
        var help: [String] = []
        var subcommands = command.configuration.subcommands
        var rest = words(in: arguments, options)[...]
        while !subcommands.isEmpty, let word = rest.popFirst() {
            // Compared as bytes: `==` normalises.
            let found = subcommands.first { ($0.configuration.commandName ?? "").utf8.elementsEqual(word.utf8) }
            if found == nil, word != "help" {
                let names = subcommands.compactMap { $0.configuration.commandName } + ["help"]
                let name = (help + [word]).joined(separator: " ")
                let candidates = names.map { (help + [$0]).joined(separator: " ") }
                text = "unknown command '\(name)'\(NearestName.question(name, in: candidates))"
                if commandsOfSystemd.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
                    text = "unknown command '\(name)', use 'systemctl \(name)' with the unit, such as belfryd"
                } else if help.isEmpty, let option = misspelt(in: arguments, options) {
                    text = "unknown option '\(option)'\(NearestName.question(option, in: options))"
                }
                break
            }
            help.append(word)
            subcommands = found?.configuration.subcommands ?? []
        }
        let hint = ([program] + help + ["--help"]).joined(separator: " ")
        return ["\(program): \(PrintableText.line(inHouseForm(text)))", "Try '\(hint)'."]
    }

    /// The first option before the command that is nearly one that every command has. Its value is not the command.
    private static func misspelt(in arguments: [String], _ options: [String]) -> String? {
        var rest = arguments[...]
        while let word = rest.popFirst(), word.utf8.starts(with: "--".utf8) || options.contains(word) {
            if options.contains(word) {
                rest = rest.dropFirst()
            } else if !word.utf8.contains(UInt8(ascii: "=")), NearestName.find(word, in: options) != nil {
                return word
            }
        }
        return nil
    }

    /// The words that are neither an option nor the value of one that every command has.
    private static func words(in arguments: [String], _ options: [String]) -> [String] {
        var words: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word.utf8.first != UInt8(ascii: "-") {
                words.append(word)
            } else if options.contains(word) {
                rest = rest.dropFirst()
            }
        }
        return words
    }

    /// A small first letter, a suggestion as part of the sentence, and of several possible errors the first.
    private static func inHouseForm(_ message: String) -> String {
        var text = message.prefix(1).lowercased() + message.dropFirst()
        if let place = text.firstRange(of: "\n   or: ") { text.removeSubrange(place.lowerBound...) }
        let question = ". Did you mean "
        if let place = text.firstRange(of: question) { text.replaceSubrange(place, with: ", did you mean ") }
        return text
    }
}
