// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import Glibc

/// The file of a program, and what keeps it from being run.
package nonisolated enum ProgramFile {
    /// Where names without a slash are searched for if `$PATH` is not set, as in a unit (systemd.exec(5)).
    private static let usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    /// How much of a script the kernel reads to find its interpreter (execve(2)).
    private static let beginning = 256

    /// Why a program cannot be run; nil if nothing is wrong.
    ///
    /// - Parameters:
    ///   - program: its absolute path, or a name that is searched for in `$PATH`.
    ///   - account: the user who is to run it; nil if that is not known.
    package static func problem(_ program: String, for account: FileAccount? = nil) -> String? {
        guard let path = find(program) else { return "there is no program \(DisplayText.quoted(program)) in $PATH" }
        if let problem = problemOfFile(path, "the program") ?? account?.problem(.run, path) { return problem }
        guard let (interpreter, isWindows) = interpreter(of: path) else { return nil }
        if isWindows {
            return "the first line of \(DisplayText.quoted(path)) ends in CR LF: "
                + "the kernel takes the CR for a part of the interpreter's name"
        }
        return problemOfFile(interpreter, "the interpreter of \(DisplayText.quoted(path)),")
    }

    /// Why this process cannot run a program; nil if it can. It knows its own rights, and what is mounted `noexec`.
    package static func ownProblem(_ program: String) -> String? {
        if let problem = problem(program) { return problem }
        guard let path = find(program), faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0 else { return nil }
        let reason = SystemError.last(verb: "", object: "").reason
        return "the program \(DisplayText.quoted(path)): \(reason)"
    }

    private static func problemOfFile(_ path: String, _ what: String) -> String? {
        let problem = "\(what) \(DisplayText.quoted(path))"
        var status = stat()
        guard stat(path, &status) == 0 else { return "\(problem): \(SystemError.last(verb: "", object: "").reason)" }
        if status.st_mode & S_IFMT != S_IFREG { return "\(problem) is not a regular file" }
        return status.st_mode & 0o111 == 0 ? "\(problem) is not executable" : nil
    }

    private static func find(_ program: String) -> String? {
        if program.utf8.contains(UInt8(ascii: "/")) { return program }
        let directories = (Environment.variables["PATH"] ?? usualPath).split(separator: ":")
        return directories.lazy.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }

    /// The interpreter of a script, and whether its line ends as those of Windows; nil for any other file.
    private static func interpreter(of path: String) -> (path: String, isWindows: Bool)? {
        guard let text = KernelFile.beginning(of: path, limit: beginning), text.starts(with: "#!".utf8) else {
            return nil
        }
        let line = text.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
        let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = words.first else { return nil }
        return (String(decoding: first, as: UTF8.self), line.last == UInt8(ascii: "\r"))
    }
}
