// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Glibc

/// Names and numbers of signals in the syntax of kill(1) and systemd: `USR1`, `SIGUSR1`, `RTMIN+5`, `RTMAX-1`.
package nonisolated enum SignalName {
    static let standard: [(name: String, number: CInt)] = [
        ("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("ILL", SIGILL), ("TRAP", SIGTRAP), ("ABRT", SIGABRT),
        ("BUS", SIGBUS), ("FPE", SIGFPE), ("KILL", SIGKILL), ("USR1", SIGUSR1), ("SEGV", SIGSEGV),
        ("USR2", SIGUSR2), ("PIPE", SIGPIPE), ("ALRM", SIGALRM), ("TERM", SIGTERM), ("STKFLT", SIGSTKFLT),
        ("CHLD", SIGCHLD), ("CONT", SIGCONT), ("STOP", SIGSTOP), ("TSTP", SIGTSTP), ("TTIN", SIGTTIN),
        ("TTOU", SIGTTOU), ("URG", SIGURG), ("XCPU", SIGXCPU), ("XFSZ", SIGXFSZ), ("VTALRM", SIGVTALRM),
        ("PROF", SIGPROF), ("WINCH", SIGWINCH), ("IO", SIGIO), ("PWR", SIGPWR), ("SYS", SIGSYS),
    ]
    private static let aliases: [(name: String, number: CInt)] = [("CLD", SIGCHLD), ("IOT", SIGABRT), ("POLL", SIGIO)]

    /// The first and last real-time signal that the C library leaves to applications (signal(7)).
    package static var realTime: ClosedRange<CInt> { __libc_current_sigrtmin()...__libc_current_sigrtmax() }

    /// Every name without `SIG`; of the real-time signals `RTMIN` and `RTMAX`.
    package static let names = standard.map(\.name) + aliases.map(\.name) + ["RTMIN", "RTMAX"]

    /// The name without `SIG`, `RTMIN+n` for real-time signals; nil if there is no such signal.
    package static func name(of number: CInt) -> String? {
        if let signal = standard.first(where: { $0.number == number }) { return signal.name }
        guard realTime.contains(number) else { return nil }
        return number == realTime.lowerBound ? "RTMIN" : "RTMIN+\(number - realTime.lowerBound)"
    }

    /// The name with `SIG`; the number if there is no such signal.
    package static func full(_ number: CInt) -> String { name(of: number).map { "SIG\($0)" } ?? "\(number)" }

    /// The number of a name, with or without the prefix `SIG`.
    ///
    /// - Throws: `ValueProblem` with the nearest name for an unknown signal, or with the range for a real-time signal
    ///   that does not exist.
    package static func number(_ text: String) throws(ValueProblem) -> CInt {
        let withoutPrefix = String(text.unicodeScalars.dropFirst(3))
        let name = text.utf8.starts(with: "SIG".utf8) ? withoutPrefix : text
        if let signal = (standard + aliases).first(where: { name.hasSameBytes(as: $0.name) }) { return signal.number }
        if let number = try realTimeNumber(name) { return number }
        let hasPrefix = ["SIG", "sig"].contains { text.utf8.starts(with: $0.utf8) }
        let question =
            NearestName.find(hasPrefix ? withoutPrefix : text, in: names).map {
                ", did you mean '\(hasPrefix ? "SIG" : "")\($0)'?"
            } ?? ""
        throw ValueProblem("unknown signal \(DisplayText.quoted(text))\(question)")
    }

    private static func realTimeNumber(_ name: String) throws(ValueProblem) -> CInt? {
        let range = realTime
        if name.hasSameBytes(as: "RTMIN") { return range.lowerBound }
        if name.hasSameBytes(as: "RTMAX") { return range.upperBound }
        let isFromStart = name.utf8.starts(with: "RTMIN+".utf8)
        guard isFromStart || name.utf8.starts(with: "RTMAX-".utf8) else { return nil }
        let digits = name.utf8.dropFirst(6)
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        guard let distance = CInt(Substring(digits)), distance <= range.upperBound - range.lowerBound else {
            let last = range.upperBound - range.lowerBound
            throw ValueProblem("no signal \(DisplayText.quoted(name)): there are RTMIN to RTMIN+\(last)")
        }
        return isFromStart ? range.lowerBound + distance : range.upperBound - distance
    }
}
