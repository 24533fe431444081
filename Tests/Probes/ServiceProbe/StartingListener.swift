// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc
import Lifecycle

/// Starts a child that prints what it was given, and at a flush a tree of processes that it ends.
final class StartingListener: LifecycleListener {
    private static let report = """
        grep -E '^Sig(Blk|Ign):' /proc/self/status
        ls -m /proc/$$/fd; echo manager ${NOTIFY_SOCKET-none} ${WATCHDOG_USEC-none}
        echo group $(($$ == $(cut -d ' ' -f 5 /proc/$$/stat))); kill -TERM $$
        """
    /// Three processes that ignore SIGTERM, and keep the standard output open as long as one of them is there.
    private static let tree = "trap '' TERM; sleep 1000 & sleep 1000 & echo started; wait; wait"

    let name = "probe"
    private let service: BelfryService
    private var output: OwnedDescriptor?
    private var source: DescriptorEventSource?

    init(_ service: BelfryService) { self.service = service }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in
            var command = ChildCommand("sh", ["-c", Self.report])
            command.descriptors = [0, 2, 2]
            let child = try service.start(command) { say("ended \($0.reason)") }
            say("pidfd \(child.processDescriptor.map { fcntl($0, F_GETFD) == FD_CLOEXEC } ?? false)")
        }
        on(.flushRequested) { [self] _ in
            let (reader, writer) = makePipe()
            var command = ChildCommand("sh", ["-c", Self.tree])
            command.descriptors = [0, writer.number, 2]
            let child = try service.start(command)
            output = reader
            source = try service.loop.source(descriptor: reader.number, .readable) { [self] _ in
                var text = [UInt8](repeating: 0, count: 64)
                let count = read(reader.number, &text, text.count)
                if count > 0 {
                    return child.end(within: .milliseconds(100)) { say("tree ended \($0.reason)") }
                }
                say("tree gone")
                source = nil
                child.end(within: .zero) { say("ended before \($0.reason)") }
            }
        }
        on(.statusRequested) { [self] _ in
            do throws(SystemError) {
                try service.start(ChildCommand("/nowhere"))
            } catch {
                say("\(error)")
            }
        }
    }

    private func makePipe() -> (reader: OwnedDescriptor, writer: OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (OwnedDescriptor(owning: ends[0]), OwnedDescriptor(owning: ends[1]))
    }
}
