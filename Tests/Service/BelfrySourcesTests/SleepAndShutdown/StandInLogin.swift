// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Glibc
import BelfrySources
import TestSupport

/// A stand-in for logind: it grants inhibitor locks, knows which are held, and announces sleep and shutdown.
final class StandInLogin {
    private let peer: BusPeer
    private var locks: [Int32] = []
    private var prepares: [String: Bool]
    private static let path = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Manager"

    /// - Parameter prepares: what was announced before the service connected: `Sleep`, `Shutdown`.
    init(_ fixture: BusSourceFixture, delayMaxUsec: UInt64 = 5_000_000, prepares: Set<String> = []) throws {
        peer = try fixture.peer("org.freedesktop.login1")
        self.prepares = Dictionary(uniqueKeysWithValues: prepares.map { ("PrepareFor\($0)", true) })
        peer.answer(property: "InhibitDelayMaxUSec", "t") { BusWriting.number(delayMaxUsec, "t", to: $0) }
        for what in ["Sleep", "Shutdown"] {
            peer.answer(property: "PreparingFor\(what)", "b") { [unowned self] in
                write(self.prepares["PrepareFor\(what)"] ?? false, to: $0)
            }
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

    /// Makes a source that wants the sleep lock. It knows that there is no logind yet, and asks again when one appears.
    ///
    /// - Parameter problem: called for each problem from then on.
    static func source(
        _ fixture: BusSourceFixture, problem: @escaping (LoginProblem) -> Void = { _ in }
    ) throws -> LoginSource {
        var isMissed = false
        let source = LoginSource(
            loop: fixture.loop, mediator: fixture.mediator, bus: fixture.bus, who: "lantern",
            problem: { if isMissed { problem($0) } else { isMissed = true } })
        source.sleep.inhibitor.isWanted = true
        try fixture.turn { isMissed }
        return source
    }

    isolated deinit { for lock in locks { close(lock) } }

    /// Refuses locks with this error from now on, or with nil none any more.
    func refuseLocks(with error: String?) { peer.refuse("Inhibit", with: error) }

    /// The number of locks that were requested.
    var count: Int { locks.count }

    /// The number of locks that are held.
    var held: Int {
        locks.count { lock in
            var byte: UInt8 = 0
            return read(lock, &byte, 1) != 0
        }
    }

    func announce(_ member: String, _ begins: Bool, type: String? = nil) {
        prepares[member] = begins
        peer.emit(Self.path, Self.interface, member) { message in
            write(begins, to: message)
            guard let type else { return }
            BusWriting.container("a", "{sv}", to: message) {
                BusWriting.container("e", "sv", to: message) {
                    BusWriting.text("type", to: message)
                    BusWriting.container("v", "s", to: message) { BusWriting.text(type, to: message) }
                }
            }
        }
    }

    private func write(_ flag: Bool, to message: OpaquePointer) {
        BusWriting.number(Int32(flag ? 1 : 0), "b", to: message)
    }
}
