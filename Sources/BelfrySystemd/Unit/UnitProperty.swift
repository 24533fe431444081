// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A property of a unit, by interface and name, and how it is read (org.freedesktop.systemd1(5)).
package struct UnitProperty<Value> {
    let interface: String
    let name: String
    let signature: String
    let read: (BusMessage) throws(BusError) -> Value

    /// A property that is not among those below.
    package init(
        _ interface: String, _ name: String, _ signature: String,
        _ read: @escaping (BusMessage) throws(BusError) -> Value
    ) {
        self.interface = "org.freedesktop.systemd1.\(interface)"
        self.name = name
        self.signature = signature
        self.read = read
    }
}

extension UnitProperty where Value == Duration? {
    /// `TimeoutStartSec=`; nil for no limit.
    package static var startTimeout: Self { time("TimeoutStartUSec") }
    /// `TimeoutStopSec=`; nil for no limit.
    package static var stopTimeout: Self { time("TimeoutStopUSec") }
    /// `WatchdogSec=`, or what the service set in its place; nil without a watchdog.
    package static var watchdog: Self { time("WatchdogUSec", none: 0) }

    private static func time(_ name: String, none: UInt64 = .max) -> Self {
        Self("Service", name, "t") { message throws(BusError) in
            let usec = try message.unsigned()
            return usec == none || usec == .max ? nil : .microseconds(usec)
        }
    }
}

extension UnitProperty where Value == UInt32 {
    /// The number of the unit's job in the queue; 0 for none.
    package static var job: Self {
        Self("Unit", "Job", "(uo)") { message throws(BusError) in
            try message.structure("uo") { () throws(BusError) in
                let id = try message.unsigned()
                _ = try message.text()
                return UInt32(truncatingIfNeeded: id)
            }
        }
    }
}

extension UnitProperty where Value == String {
    /// `success`, `exit-code`, `signal`, `watchdog`, …: how the unit ended last.
    package static var result: Self { text("Service", "Result") }
    /// `active`, `deactivating`, …
    static var activeState: Self { text("Unit", "ActiveState") }

    private static func text(_ interface: String, _ name: String) -> Self {
        Self(interface, name, "s") { message throws(BusError) in try message.text() }
    }
}
