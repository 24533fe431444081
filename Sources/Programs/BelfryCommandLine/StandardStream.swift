// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryClient
import BelfryLinux
import Glibc
import Synchronization

/// A standard stream of the program, written without a buffer.
///
/// What cannot be written ends no command: what it does, and its exit status, do not depend on who reads. The first
/// failure is remembered, nothing more is written then, and `CommandStatus.andOutput` counts it.
package final class StandardStream: Sendable {
    /// Standard output.
    package static let output = StandardStream(STDOUT_FILENO, reportingTo: error)
    /// Standard error.
    package static let error = StandardStream(STDERR_FILENO, reportingTo: nil)

    package let descriptor: Int32
    /// Where a failure is told.
    private let other: StandardStream?
    /// The error number of the first write that failed; 0 before.
    private let failure = Atomic<Int32>(0)

    private init(_ descriptor: Int32, reportingTo other: StandardStream?) {
        self.descriptor = descriptor
        self.other = other
    }

    /// Whether it is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether nothing can be written any more.
    package var hasFailed: Bool { failure.load(ordering: .relaxed) != 0 }

    /// Whether that is not because its reader is gone.
    fileprivate var hasLost: Bool { StandardStreams.isLoss(failure.load(ordering: .relaxed)) }

    /// Writes text, and returns when all of it is written or writing has failed.
    package func write(_ text: String) {
        guard !hasFailed else { return }
        let code = StandardStreams.write(Array(text.utf8), to: descriptor)
        guard code != 0 else { return }
        failure.store(code, ordering: .relaxed)
        if hasLost { other?.write(["\(SystemError(code, verb: "write", object: "standard output"))"]) }
    }

    /// Writes lines.
    package func write(_ lines: [String]) { write(lines.map { $0 + "\n" }.joined()) }
}

nonisolated extension CommandStatus {
    /// The status of a command that has ended so far with this one: a success is none if its output was lost, unless
    /// nobody reads it any more.
    package var andOutput: CommandStatus { self == .success && StandardStream.output.hasLost ? .system : self }
}
