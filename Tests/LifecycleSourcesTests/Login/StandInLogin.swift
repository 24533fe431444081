// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import EventLoop
import Glibc
import TestSupport

/// logind as far as a service sees it: it hands out locks, knows which are held, and announces what will be.
final class StandInLogin {
    private let peer: BusPeer
    private var locks: [Int32] = []
    private static let path = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Manager"

    init(_ fixture: BusSourceFixture, delayMaxUsec: UInt64 = 5_000_000) throws {
        peer = try fixture.peer("org.freedesktop.login1")
        peer.answer("Get") { reply in
            BusWriting.container("v", "t", to: reply) { BusWriting.number(delayMaxUsec, "t", to: reply) }
        }
        peer.answer("Inhibit") { [unowned self] reply in
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            BusWriting.number(ends[1], "h", to: reply)
            close(ends[1])
            locks.append(ends[0])
        }
    }

    isolated deinit { for lock in locks { close(lock) } }

    /// How many locks were asked for.
    var count: Int { locks.count }

    /// How many of them are held.
    var held: Int {
        locks.count { lock in
            var byte: UInt8 = 0
            return read(lock, &byte, 1) != 0
        }
    }

    func announce(_ member: String, _ begins: Bool, type: String? = nil) {
        peer.emit(Self.path, Self.interface, member) { message in
            BusWriting.number(Int32(begins ? 1 : 0), "b", to: message)
            guard let type else { return }
            BusWriting.container("a", "{sv}", to: message) {
                BusWriting.container("e", "sv", to: message) {
                    BusWriting.text("type", to: message)
                    BusWriting.container("v", "s", to: message) { BusWriting.text(type, to: message) }
                }
            }
        }
    }
}
