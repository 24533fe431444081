// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// A command line: a program and its arguments, in which variables are substituted at each run.
///
/// The text of `Exec=` is read as systemd reads `ExecStart=` (systemd.service(5), «Command lines»). Of its prefixes
/// there are `-` and `:`, and of its specifiers `%i` and `%%`. Everything else that systemd gives a meaning is an error
/// here, so that no line means something else than in a unit.
package nonisolated struct ExecCommand: Sendable, Equatable {
    /// The command line as it was written.
    package let text: String
    /// The absolute path of the program, or a name that is searched for in `$PATH`.
    package let program: String
    /// Whether every outcome counts as success: the prefix `-`.
    package let ignoresFailure: Bool
    private let arguments: [String]
    private let substitutesVariables: Bool

    /// A command that a shell has split into words. Nothing in it is substituted.
    ///
    /// - Throws: `ValueProblem` if there is no program.
    package init(words: [String]) throws(ValueProblem) {
        guard let first = words.first, !first.utf8.isEmpty else { throw ValueProblem("missing command") }
        text = words.joined(separator: " ")
        program = first
        arguments = Array(words.dropFirst())
        ignoresFailure = false
        substitutesVariables = false
    }

    /// Reads such values for an instance of that name.
    static func parser(instance: String) -> ValueParser<ExecCommand> {
        { text throws(ValueProblem) in try ExecCommand(text, instance: instance) }
    }

    /// Reads the value of `Exec=`.
    ///
    /// - Parameter instance: the value of `%i`.
    /// - Throws: `ValueProblem` at the word that is invalid.
    package init(_ text: String, instance: String) throws(ValueProblem) {
        let scalars = Array(text.unicodeScalars)
        var words: [String] = []
        for word in try IniWords.split(text, separator: ";") {
            if scalars[word.offset] == ";", word.text.hasSameBytes(as: ";") {
                throw ValueProblem("only one command is allowed; write '\\;' for an argument ';'", offset: word.offset)
            }
            let endsCommand = word.text.utf8.last == UInt8(ascii: ";")
            // Without quotes.
            if endsCommand || Self.ofShell.contains(where: word.text.hasSameBytes),
                scalars[word.offset...].starts(with: word.text.unicodeScalars)
            {
                throw ValueProblem(
                    "no shell runs this command: write it as sh -c '…', or '\"\(word.text)\"' for an argument",
                    offset: word.offset)
            }
            words.append(try Self.resolve(word, instance))
        }
        guard var first = words.first?.unicodeScalars[...] else { throw ValueProblem("missing command") }
        var prefixes: Set<Unicode.Scalar> = []
        while let scalar = first.first, Self.prefixes.contains(scalar) {
            guard Self.known.contains(scalar) else {
                throw ValueProblem(
                    "the prefix '\(scalar)' is not supported, use '-', ':' and the settings of the unit",
                    offset: prefixes.count)
            }
            prefixes.insert(scalar)
            first = first.dropFirst()
        }
        let program = String(first)
        guard !first.isEmpty, first.first == "/" || !first.contains("/") else {
            throw ValueProblem("expected an absolute path or a name without '/', not \(DisplayText.quoted(program))")
        }
        self.text = text
        self.program = program
        arguments = Array(words.dropFirst())
        ignoresFailure = prefixes.contains("-")
        substitutesVariables = !prefixes.contains(":")
    }

    /// The words of systemctl(1) besides its options, if it is that for this unit; not known of what a shell runs.
    func systemctlWords(for unit: String) -> [String] {
        let words = arguments(with: [:]).filter { !$0.hasPrefix("-") }
        let isForUnit = words.dropFirst().contains { [$0, "\($0).service"].contains(where: unit.hasSameBytes) }
        return isForUnit && program.split(separator: "/").last == "systemctl" ? words : []
    }

    /// What of this unit it would wait for, if it is systemctl: its stop, or with `reload` its reload; nil for neither.
    func wait(for unit: String, ofUser: Bool, reload: Bool) -> String? {
        guard let verb = systemctlWords(for: unit).first, arguments.contains("--user") == ofUser,
            !arguments.contains(where: { option in Self.elsewhere.contains(where: option.hasPrefix) })
        else { return nil }
        if Self.stopping.contains(verb) { return "stop" }
        return reload && Self.reloading.contains(verb) ? "reload" : nil
    }

    static let reloading = ["reload", "force-reload", "reload-or-restart", "try-reload-or-restart"]
    private static let elsewhere = ["--no-block", "--host", "--machine"]
    private static let stopping = ["stop", "restart", "try-restart", "reload-or-restart", "try-reload-or-restart"]
    /// What is for a shell, as a word without quotes.
    private static let ofShell = ["&&", "||", "|", "&", ">", ">>", "<"]
    private static let prefixes: Set<Unicode.Scalar> = ["-", ":", "@", "+", "!", "|"]
    private static let known: Set<Unicode.Scalar> = ["-", ":"]

    /// The arguments with variables substituted: `${NAME}` anywhere in a word by the value, a word `$NAME` by the words
    /// of the value, `$$` by `$`. A variable that is not set is empty.
    package func arguments(with variables: [String: String]) -> [String] {
        guard substitutesVariables else { return arguments }
        return arguments.flatMap { argument -> [String] in
            let scalars = argument.unicodeScalars
            let rest = scalars.dropFirst()
            if scalars.first == "$", rest.first != "{", rest.first != "$" {
                return Self.words(of: variables[String(rest)] ?? "")
            }
            return [Self.substitute(scalars[...], variables)]
        }
    }

    private static func resolve(_ word: IniWords.Word, _ instance: String) throws(ValueProblem) -> String {
        try Specifiers.replace(word.text) { specifier, _ throws(ValueProblem) in
            switch specifier {
            case "%": return "%"
            case "i": return instance
            default:
                throw ValueProblem(
                    "unknown specifier \(Specifiers.quoted(specifier)), expected '%i', or '%%' for a percent sign",
                    offset: word.offset)
            }
        }
    }

    private static func substitute(_ text: Substring.UnicodeScalarView, _ variables: [String: String]) -> String {
        var result = String.UnicodeScalarView()
        var rest = text
        while let scalar = rest.popFirst() {
            if scalar == "$", rest.first == "$" {
                rest.removeFirst()
                result.append("$")
            } else if scalar == "$", rest.first == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    result.append(scalar)
                    result.append(contentsOf: rest)
                    break
                }
                let name = String(rest[..<end].dropFirst())
                result.append(contentsOf: (variables[name] ?? "").unicodeScalars)
                rest = rest[rest.index(after: end)...]
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// The words of a variable: separated by white space; quotes keep words together, and a backslash takes the next
    /// character as it is.
    private static func words(of value: String) -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        var isInWord = false
        var quote: Unicode.Scalar?
        var scalars = value.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            if scalar == quote {
                quote = nil
            } else if scalar == "\\" {
                if let next = scalars.popFirst() { word.append(next) }
            } else if quote == nil, scalar == "\"" || scalar == "'" {
                quote = scalar
            } else if quote == nil, IniText.isSpace(scalar) {
                if isInWord { words.append(String(word)) }
                word.removeAll()
                isInWord = false
                continue
            } else {
                word.append(scalar)
            }
            isInWord = true
        }
        if isInWord { words.append(String(word)) }
        return words
    }
}
