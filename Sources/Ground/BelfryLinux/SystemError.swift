// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// A call into the system that failed: what was attempted, on what, and the system's reason.
///
/// Described as `unable to open '/run/x': No such file or directory (ENOENT)`. Control characters in the object are
/// escaped, so that a file name cannot begin a line of its own in a log.
public nonisolated struct SystemError: Error, Sendable, Equatable, Hashable {
    /// The error number, positive, as in errno(3).
    public let code: Int32

    /// What was attempted, an infinitive without "to": `open`, `listen on`.
    public let verb: String

    /// What it was attempted on, as the user knows it. Empty when there is nothing to name.
    public let object: String

    /// Makes an error from `code`, which may be an error number or the `-errno` that sd-bus, sd-event and the
    /// `belfry_` helpers return.
    package init(_ code: Int32, verb: String, object: String) {
        self.code = code == .min ? .max : abs(code)
        self.verb = verb
        self.object = object
    }

    /// The error that errno(3) holds now. Call it before anything else that could change errno.
    package static func last(verb: String, object: String) -> SystemError {
        SystemError(errno, verb: verb, object: object)
    }

    /// The name of the error number, `ENOENT`, or the number itself when the C library has no name for it.
    public var name: String {
        belfry_error_name(code).map { String(cString: $0) } ?? "\(code)"
    }

    /// What the error number means, in English whatever the locale, with its name:
    /// `No such file or directory (ENOENT)`.
    public var reason: String {
        let text = belfry_error_text(code).map { String(cString: $0) } ?? "unknown error"
        return "\(text) (\(name))"
    }

    /// Whether the system itself failed, because it lacks something or a device is defective. Unlike a refusal, such as
    /// a missing permission, this says nothing about the object, and the same call may succeed later.
    package var isSystemFailure: Bool { Self.isSystemFailure(code) }

    /// The same for an error number.
    package static func isSystemFailure(_ code: Int32) -> Bool {
        [EIO, EMFILE, ENFILE, ENOBUFS, ENOLCK, ENOMEM].contains(code)
    }

    /// Passes a result through when it is not negative.
    ///
    /// - Throws: the error when `result` is an `-errno`, as the `sd_` and `belfry_` functions return it.
    @discardableResult
    package static func check(
        _ result: Int32, verb: @autoclosure () -> String, object: @autoclosure () -> String
    ) throws(SystemError) -> Int32 {
        guard result < 0 else { return result }
        throw SystemError(result, verb: verb(), object: object())
    }
}

nonisolated extension SystemError: CustomStringConvertible {
    /// `unable to <verb> '<object>': <reason>`, without a final stop.
    public var description: String {
        object.isEmpty
            ? "unable to \(verb): \(reason)"
            : "unable to \(verb) '\(SystemError.escape(object))': \(reason)"
    }

    /// `text` with its control characters written as `\n`, `\t` or `\u{1B}`, fit for one line of a log.
    package static func escape(_ text: String) -> String {
        var text = text
        let isPlain = text.withUTF8 { bytes in bytes.allSatisfy { (0x20...0x7E).contains($0) } }
        if isPlain { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format:
                line += scalar.escaped(asASCII: true)
            default:
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
