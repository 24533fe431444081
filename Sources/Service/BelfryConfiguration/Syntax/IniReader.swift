// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Reads the syntax of systemd.syntax(7): sections, assignments, comments, continued lines. An invalid line becomes a
/// diagnostic and is skipped; the rest of the file is still read, so that all problems are reported at once.
package nonisolated struct IniReader {
    private enum Place {
        case beforeSections
        case inSection
        case inBrokenSection
    }

    private let file: String
    private var sections: [IniSection] = []
    private var place = Place.beforeSections
    private var pending: IniText?
    private var items = 0
    private var diagnostics: DiagnosticList

    private init(file: String, diagnostics: DiagnosticList) {
        self.file = file
        self.diagnostics = diagnostics
    }

    /// Reads the bytes of one file.
    ///
    /// - Parameters:
    ///   - bytes: the content: UTF-8, with or without a byte order mark, lines ended by LF, CR LF or CR.
    ///   - file: the path for diagnostics.
    ///   - diagnostics: receives the problems.
    /// - Returns: the sections in the order of the file; a section that occurs twice is there twice.
    package static func read(_ bytes: [UInt8], file: String, diagnostics: inout DiagnosticList) -> [IniSection] {
        var reader = IniReader(file: file, diagnostics: diagnostics)
        defer { diagnostics = reader.diagnostics }
        guard bytes.count <= IniLimits.fileBytes else {
            reader.diagnostics.error(
                at: ConfigurationPosition(file: file), "file is larger than \(IniLimits.fileBytes) bytes")
            return []
        }
        reader.read(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...])
        return reader.sections
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>) {
        var number = 0
        var rest = bytes
        while !rest.isEmpty {
            let line = Self.popLine(&rest)
            number += 1
            guard items <= IniLimits.items else {
                diagnostics.error(
                    at: ConfigurationPosition(file: file, line: number),
                    "more than \(IniLimits.items) settings, the rest of the file is not read")
                return
            }
            guard let scalars = decode(line, number: number) else {
                pending = nil
                continue
            }
            join(scalars, number: number)
        }
        if let last = pending.take() { interpret(last) }
    }

    /// Removes the first line and its line end, and returns the line.
    private static func popLine(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let (lf, cr) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        let line = bytes.prefix { $0 != lf && $0 != cr }
        bytes = bytes[line.endIndex...]
        if bytes.popFirst() == cr, bytes.first == lf { bytes.removeFirst() }
        return line
    }

    private mutating func decode(_ line: ArraySlice<UInt8>, number: Int) -> [Unicode.Scalar]? {
        guard line.count <= IniLimits.lineBytes else {
            let position = ConfigurationPosition(file: file, line: number)
            diagnostics.error(at: position, "line is longer than \(IniLimits.lineBytes) bytes")
            return nil
        }
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(line.count)
        var bytes = line.makeIterator()
        var decoder = UTF8()
        while true {
            switch decoder.decode(&bytes) {
            case .scalarValue("\0"):
                let position = ConfigurationPosition(file: file, line: number, column: scalars.count + 1)
                diagnostics.error(at: position, "NUL byte in the line")
                return nil
            case .scalarValue(let scalar):
                scalars.append(scalar)
            case .emptyInput:
                return scalars
            case .error:
                let position = ConfigurationPosition(file: file, line: number, column: scalars.count + 1)
                diagnostics.error(at: position, "line is not valid UTF-8")
                return nil
            }
        }
    }

    /// As in systemd, a comment inside a continued line is skipped, and an empty line ends it.
    private mutating func join(_ scalars: [Unicode.Scalar], number: Int) {
        let content = scalars.drop(while: IniText.isSpace)
        if content.first == "#" || content.first == ";" { return }
        var text = pending.take() ?? IniText(file: file)
        text.append(content, line: number, column: content.startIndex + 1)
        guard text.scalars.count <= IniLimits.lineBytes else {
            let message = "continued line is longer than \(IniLimits.lineBytes) characters"
            diagnostics.error(at: text.position, message)
            return
        }
        if content.reversed().prefix(while: { $0 == "\\" }).count.isMultiple(of: 2) {
            interpret(text)
        } else {
            text.replaceLastWithSpace()
            pending = text
        }
    }

    private mutating func interpret(_ text: IniText) {
        let line = text.trimmed(0..<text.scalars.count)
        guard let first = line.scalars.first else { return }
        items += 1
        if first == "[" {
            place = readHeader(line) ? .inSection : .inBrokenSection
            return
        }
        guard let equals = line.scalars.firstIndex(of: "=") else {
            diagnostics.error(at: line.position, "missing '=' in \(DisplayText.quoted(line.string))")
            return
        }
        let key = line.trimmed(0..<equals)
        let value = line.trimmed(equals + 1..<line.scalars.count)
        if key.scalars.isEmpty {
            diagnostics.error(at: line.position, "missing key before '='")
            return
        }
        switch place {
        case .inSection: sections[sections.count - 1].entries.append(IniEntry(key: key, value: value))
        case .beforeSections:
            diagnostics.error(at: key.position, "\(DisplayText.quoted(key.string)) stands outside of any section")
        case .inBrokenSection: break
        }
    }

    private mutating func readHeader(_ line: IniText) -> Bool {
        let end = line.scalars.count - 1
        guard end > 0, line.scalars[end] == "]" else {
            diagnostics.error(at: line.position(at: line.scalars.count), "missing ']' at the end of the section header")
            return false
        }
        let inner = line.trimmed(1..<end)
        if let bracket = inner.scalars.firstIndex(where: { $0 == "[" || $0 == "]" }) {
            diagnostics.error(
                at: inner.position(at: bracket), "unexpected '\(inner.scalars[bracket])' in a section name")
            return false
        }
        guard !inner.scalars.isEmpty else {
            diagnostics.error(at: line.position, "missing name in the section header")
            return false
        }
        let space = inner.scalars.firstIndex(where: IniText.isSpace) ?? inner.scalars.count
        let instance = inner.trimmed(space..<inner.scalars.count)
        sections.append(
            IniSection(name: inner.trimmed(0..<space), instance: instance.scalars.isEmpty ? nil : instance))
        return true
    }
}

/// The size limits of a configuration file.
package nonisolated enum IniLimits {
    /// Bytes in a file.
    package static let fileBytes = 1 << 20
    /// Bytes in a line, including its continuations.
    package static let lineBytes = 64 << 10
    /// Assignments and section headers in a file.
    package static let items = 16384
}
