// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySystemd
import TestSupport
import Testing

/// A private bus and a connection to it, on a loop that the test turns.
final class BusFixture {
    let daemon: PrivateBus
    let loop: MainEventLoop
    let bus: SystemBus
    private(set) var changes: [Bool] = []

    init() throws {
        daemon = try PrivateBus()
        loop = try MainEventLoop()
        bus = SystemBus(loop: loop, address: daemon.address)
        bus.addObserver { [unowned self] in changes.append($0) }
    }

    /// Starts the daemon and waits until calls can be made.
    func startReady() throws {
        try daemon.start()
        bus.connect()
        try turn { bus.isReady }
    }

    /// Another program on the bus, which owns this name.
    func peer(_ name: String) throws -> BusPeer { try BusPeer(name, at: daemon.address, on: loop) }

    func turn(until condition: () -> Bool) throws { try loop.turn(until: condition) }

    /// Makes a call with `begin`, and turns the loop until the answer arrives.
    func answer<Value>(
        _ begin: (@escaping (Result<Value, BusError>) -> Void) -> Void
    ) throws -> Result<Value, BusError> {
        var answer: Result<Value, BusError>?
        begin { answer = $0 }
        try turn { answer != nil }
        return try #require(answer)
    }

    /// A method of the bus itself.
    static func method(_ member: String) -> BusMember {
        BusMember("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member)
    }
}
