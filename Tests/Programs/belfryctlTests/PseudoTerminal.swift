// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import BelfryLinux
import TestSupport

/// Both ends of a terminal.
final class PseudoTerminal {
    private var master: ChildPipe
    private(set) var user: Int32

    /// Does what posix_openpt(3) does, which the Glibc module lacks (ioctl_tty(2)).
    init() throws(SystemError) {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlocked: Int32 = 0
        let (setLock, openPeer): (UInt, UInt) = (0x4004_5431, 0x5441)
        guard master >= 0, ioctl(master, setLock, &unlocked) == 0 else {
            throw SystemError.last(verb: "open", object: "/dev/ptmx")
        }
        self.master = ChildPipe(master)
        user = ioctl(master, openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard user >= 0 else { throw SystemError.last(verb: "open", object: "pseudo terminal") }
    }

    isolated deinit {
        closeUser()
        hangUp()
    }

    /// The next line that was written to the terminal.
    func line() -> String? { master.line() }

    /// Closes the user's end, which the child has open.
    func closeUser() {
        if user >= 0 { close(user) }
        user = -1
    }

    /// Hangs up, as closing a terminal window does.
    func hangUp() { master.close() }
}
