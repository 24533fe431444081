// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import CBelfry
internal import Glibc

/// A program to run as a child process, and what it is given.
public nonisolated struct ChildCommand: Sendable, Equatable {
    /// The path of the program, or a name without `/` that is searched for in `$PATH`.
    public var program: String
    /// The arguments, without the name of the program.
    public var arguments: [String]
    /// The environment. Nil for that of this process, without the variables that a service manager sets for this
    /// process alone: `$NOTIFY_SOCKET`, `$LISTEN_…`, `$WATCHDOG_…`, `$FDSTORE`.
    public var environment: [String: String]?
    /// The descriptors that the child has: its descriptor N is `descriptors[N]` of this process, which still owns it.
    /// At most 256; all others are closed in the child.
    public var descriptors: [Int32] = [0, 1, 2]
    /// The open file `cgroup.procs` of the control group that the child runs in (cgroups(7)); nil for that of this
    /// process.
    package var controlGroup: Int32?

    /// A command with the standard streams of this process.
    public init(_ program: String, _ arguments: [String] = [], environment: [String: String]? = nil) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
    }
}

/// A child process with a process group of its own, to which the processes that it starts belong too.
///
/// The loop reaps it when it ends, also if nobody keeps this object. When the service ends, the service manager ends
/// what is left of the children (`KillMode=` in systemd.kill(5)).
@MainActor public final class ChildProcess {
    /// The id of the process, and of its process group. Once the child has ended, another process may have it.
    public let pid: Int32
    /// How it ended; nil while it runs.
    public private(set) var exit: ChildExit?

    private let loop: MainEventLoop
    private let onExit: (ChildExit) -> Void
    private var source: ChildEventSource?
    private var timer: TimerEventSource?
    private var isEnding = false
    private var completions: [(ChildExit) -> Void] = []

    /// Starts a child. SIGCHLD must be blocked in every thread.
    ///
    /// - Throws: what posix_spawnp(3) reports, and `EINVAL` for text with a NUL.
    package init(
        _ command: ChildCommand, on loop: MainEventLoop, onExit: @escaping (ChildExit) -> Void
    ) throws(SystemError) {
        pid = try command.spawn()
        self.loop = loop
        self.onExit = onExit
        do throws(SystemError) {
            // Until the end the source keeps this object.
            source = try loop.source(child: pid) { [self] in end(with: $0) }
        } catch {
            kill(-pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw error
        }
    }

    /// The pidfd of the child (pidfd_open(2)), which this object owns; nil once the child has ended.
    public var processDescriptor: Int32? { source?.processDescriptor }

    /// Sends a signal to the child itself. Does nothing once it has ended.
    public func send(_ signal: Int32) { source?.send(signal) }

    /// Ends the child with its process group: SIGTERM to all of them, and SIGKILL to those that are left when the child
    /// has ended, or after `limit`. A process that has left the group (setsid(2)) is not reached.
    ///
    /// - Parameters:
    ///   - limit: how long the child may take.
    ///   - completion: called when the child has ended, now if it has already.
    public func end(within limit: Duration, then completion: @escaping (ChildExit) -> Void = { _ in }) {
        if let exit { return completion(exit) }
        completions.append(completion)
        isEnding = true
        kill(-pid, SIGTERM)
        // A stopped process handles no signal.
        kill(-pid, SIGCONT)
        timer = try? loop.timer(after: limit) { [unowned self] in kill(-pid, SIGKILL) }
        if timer == nil { kill(-pid, SIGKILL) }
    }

    private func end(with exit: ChildExit) {
        // The child is reaped after this call, so until then no other group has its id.
        if isEnding { kill(-pid, SIGKILL) }
        self.exit = exit
        timer = nil
        source = nil
        onExit(exit)
        let waiting = completions
        completions = []
        for completion in waiting { completion(exit) }
    }
}

nonisolated extension ChildCommand {
    /// The variables that a service manager sets for one process (systemd.exec(5)).
    package static let own = [
        "NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_PIDFDID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID",
        "WATCHDOG_USEC",
        "FDSTORE",
    ]

    fileprivate func spawn() throws(SystemError) -> Int32 {
        let variables = environment?.map { "\($0.key)=\($0.value)" } ?? []
        guard !([program] + arguments + variables).contains(where: { $0.utf8.contains(0) }) else {
            throw SystemError(EINVAL, verb: "start", object: program)
        }
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let entries = variables.map { strdup($0) } + [nil]
        defer { for text in words + entries { free(text) } }
        var pid: Int32 = 0
        let all = environment == nil ? Self.inherited : entries
        let result =
            if let controlGroup {
                belfry_spawn_in(controlGroup, &pid, program, words, all, descriptors, descriptors.count)
            } else {
                belfry_spawn(&pid, program, words, all, true, descriptors, descriptors.count)
            }
        try SystemError.check(result, verb: "start", object: program)
        return pid
    }

    /// The entries of environ(7) without those that are for this process alone.
    private static var inherited: [UnsafeMutablePointer<CChar>?] {
        var entries: [UnsafeMutablePointer<CChar>?] = []
        var place = environ
        while let entry = place.pointee {
            if !own.contains(where: { strncmp(entry, $0 + "=", $0.utf8.count + 1) == 0 }) { entries.append(entry) }
            place += 1
        }
        return entries + [nil]
    }
}
