// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// logind: it announces sleep and shutdown of the machine, and delays them for those who hold an inhibitor lock
/// (org.freedesktop.login1(5)).
@MainActor
package final class LoginManager {
    /// logind's name on the bus.
    package static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Manager"

    /// What logind announces, and what a lock delays.
    package nonisolated enum Operation: String, Sendable {
        case sleep, shutdown
    }

    /// The bus on which it is.
    package let bus: SystemBus

    /// logind on this bus, whether it is there or not.
    package init(on bus: SystemBus) { self.bus = bus }

    /// A lock that delays the operation until all copies of its descriptor are closed. The caller closes that.
    package func lock(_ what: Operation, who: String, why: String) -> BusQuestion<Int32> {
        BusQuestion(member("Inhibit"), [what.rawValue, who, why, "delay"]) { message throws(BusError) in
            try message.descriptor()
        }
    }

    /// How long logind waits at the most, `InhibitDelayMaxSec=` of logind.conf(5).
    package var delayMax: BusQuestion<Duration> {
        BusQuestion(property: member("InhibitDelayMaxUSec"), "t") { message throws(BusError) in
            .microseconds(try message.uint64())
        }
    }

    /// Whether a sleep or a shutdown was announced and is not over.
    package func isPreparing(for operation: Operation) -> BusQuestion<Bool> {
        let property = operation == .sleep ? "PreparingForSleep" : "PreparingForShutdown"
        return BusQuestion(property: member(property), "b") { message throws(BusError) in try message.boolean() }
    }

    /// Calls `handler` with true when the machine is about to sleep, and with false when it woke or stays awake.
    package func onSleep(_ handler: @escaping (_ begins: Bool) -> Void) -> BusMatch {
        bus.match(member("PrepareForSleep")) { message in
            if let begins = try? message.boolean() { handler(begins) }
        }
    }

    /// Calls `handler` with true when the machine is about to end, with the kind where logind tells it (systemd 255),
    /// and with false when it goes on. Where there is a kind, a second call without it follows.
    package func onShutdown(_ handler: @escaping (_ begins: Bool, ShutdownKind?) -> Void) -> [BusMatch] {
        let told = bus.match(member("PrepareForShutdownWithMetadata")) { message in
            guard let begins = try? message.boolean() else { return }
            let kind = (try? message.dictionary())?["type"]?.text.flatMap { ShutdownKind(rawValue: $0) }
            handler(begins, kind)
        }
        let plain = bus.match(member("PrepareForShutdown")) { message in
            if let begins = try? message.boolean() { handler(begins, nil) }
        }
        return [told, plain]
    }

    /// Calls `handler` with whether logind is there, whenever it comes or goes.
    package func onOwner(_ handler: @escaping (_ isThere: Bool) -> Void) -> BusMatch {
        bus.match(.ownerChanged, firstArgument: Self.name) { message in
            guard let owners = try? (message.text(), message.text(), message.text()) else { return }
            handler(!owners.2.isEmpty)
        }
    }

    private func member(_ name: String) -> BusMember { BusMember(Self.name, Self.path, Self.interface, name) }
}
