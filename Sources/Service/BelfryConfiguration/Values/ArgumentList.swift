// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The arguments of a program: options with `--option VALUE` or `--option=VALUE`, flags, words, and a command behind
/// `--`.
///
/// It is for programs that stay in memory. ArgumentParser depends on Foundation, which would double the size of such a
/// program and add half to its memory.
package nonisolated struct ArgumentList {
    /// The options and flags in their order. The value of a flag is empty.
    package private(set) var options: [(name: String, value: String)] = []
    /// The arguments that are no options.
    package private(set) var words: [String] = []
    /// The arguments behind `--`.
    package private(set) var command: [String] = []

    /// Reads the arguments, without the name of the program.
    ///
    /// - Parameters:
    ///   - flags: the options without a value.
    ///   - valued: those with one.
    ///   - most: how many words there may be. Only a program with words has a command.
    /// - Throws: for the first argument that is unknown or lacks its value.
    package init(
        _ arguments: some Sequence<String>, flags: [String], valued: [String], words most: Int = 0
    ) throws(ValueProblem) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if most > 0, argument == "--" {
                command = Array(rest)
                return
            } else if flags.contains(argument) {
                options.append((argument, ""))
            } else if valued.contains(parts[0]) {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw ValueProblem("missing value for '\(parts[0])'")
                }
                options.append((parts[0], value))
            } else if !argument.hasPrefix("-"), words.count < most {
                words.append(argument)
            } else {
                let question = NearestName.question(argument, in: (flags + valued).sorted())
                throw ValueProblem("unknown argument '\(DisplayText.cut(argument))'\(question)")
            }
        }
    }
}
