// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// logind: it announces sleep and shutdown of the machine, and delays them for those who hold an inhibitor lock
/// (org.freedesktop.login1(5)).
@MainActor
package final class LoginManager {
    /// logind's name on the bus.
    package static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Manager"

    private let bus: SystemBus

    /// logind on this bus, whether it is there or not.
    package init(on bus: SystemBus) { self.bus = bus }

    /// Whether it can be asked now.
    package var isReachable: Bool { bus.isReady }

    /// Asks for a lock that delays what it is for.
    package func inhibit(
        _ what: InhibitorLock.Operation, who: String, why: String,
        then completion: @escaping (Result<InhibitorLock, BusError>) -> Void
    ) -> BusCall {
        bus.call(
            method("Inhibit"), [.string(what.rawValue), .string(who), .string(why), .string("delay")],
            reading: { message throws(BusError) in InhibitorLock(try message.descriptor()) }, then: completion)
    }

    /// Reads how long logind waits at the most, `InhibitDelayMaxSec=` of logind.conf(5).
    @discardableResult
    package func delayMax(then completion: @escaping (Result<Duration, BusError>) -> Void) -> BusCall {
        bus.get(
            method("InhibitDelayMaxUSec"), "t",
            reading: { message throws(BusError) in .microseconds(try message.unsigned()) }, then: completion)
    }

    /// Reads whether a sleep or a shutdown was announced and is not over.
    @discardableResult
    package func isPreparing(
        for operation: InhibitorLock.Operation, then completion: @escaping (Result<Bool, BusError>) -> Void
    ) -> BusCall {
        let property = operation == .sleep ? "PreparingForSleep" : "PreparingForShutdown"
        return bus.get(
            method(property), "b", reading: { message throws(BusError) in try message.boolean() }, then: completion)
    }

    /// Calls `handler` with true when the machine is about to sleep, and with false when it woke or stays awake.
    package func onSleep(_ handler: @escaping (_ begins: Bool) -> Void) -> BusMatch {
        bus.match(signal("PrepareForSleep")) { message in
            if let begins = try? message.boolean() { handler(begins) }
        }
    }

    /// Calls `handler` with true when the machine is about to end, with the kind where logind tells it (systemd 255), and
    /// with false when it goes on. Where there is a kind, a second call without it follows.
    package func onShutdown(_ handler: @escaping (_ begins: Bool, ShutdownKind?) -> Void) -> [BusMatch] {
        let told = bus.match(signal("PrepareForShutdownWithMetadata")) { message in
            guard let begins = try? message.boolean() else { return }
            var kind: ShutdownKind?
            try? message.dictionary { key throws(BusError) in
                guard key == "type" else { return false }
                kind = ShutdownKind(verb: try message.variant("s") { () throws(BusError) in try message.text() })
                return true
            }
            handler(begins, kind)
        }
        let plain = bus.match(signal("PrepareForShutdown")) { message in
            if let begins = try? message.boolean() { handler(begins, nil) }
        }
        return [told, plain]
    }

    /// Calls `handler` with whether logind is there, whenever it comes or goes.
    package func onOwner(_ handler: @escaping (_ isThere: Bool) -> Void) -> BusMatch {
        bus.match(.ownerChanged(of: Self.name)) { message in
            guard let owners = try? (message.text(), message.text(), message.text()) else { return }
            handler(!owners.2.isEmpty)
        }
    }

    private func method(_ member: String) -> BusMethod { BusMethod(Self.name, Self.path, Self.interface, member) }

    private func signal(_ member: String) -> BusSignal { BusSignal(Self.name, Self.path, Self.interface, member) }
}

/// A lock of logind, held until it is released or dropped.
@MainActor
package final class InhibitorLock {
    /// What it delays.
    package enum Operation: String, Sendable, CaseIterable {
        case sleep, shutdown
    }

    private var descriptor: Int32

    /// Takes over the descriptor that stands for the lock.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    isolated deinit { release() }

    /// Gives the lock back. Calling it again does nothing.
    package func release() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }
}
