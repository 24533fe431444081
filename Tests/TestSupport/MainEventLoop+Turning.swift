// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryEventLoop

extension MainEventLoop {
    /// Turns the loop until `condition` holds.
    ///
    /// - Throws: `WaitTimeout` after a minute: the time limit of a suite cannot end a loop that never suspends.
    public func turn(until condition: () -> Bool) throws {
        let start = MonotonicInstant.now
        while !condition() {
            guard MonotonicInstant.now - start < .seconds(60) else {
                throw WaitTimeout(for: "a condition on the loop")
            }
            try turn(waiting: .milliseconds(5))
        }
    }

    /// Turns the loop 20 times without waiting: handles the events that are ready, and those that follow from them.
    public func turnWithoutWaiting() throws {
        for _ in 0..<20 { try turn(waiting: .zero) }
    }

    /// Calls `body` in a turn that has kept the thread for 60 ms before.
    public func inLongTurn<Value>(_ body: @escaping () throws -> Value) throws -> Value {
        var result: Result<Value, any Error>?
        let work = try deferred {
            Self.block(for: .milliseconds(60))
            result = Result { try body() }
        }
        work.schedule()
        while true {
            try turn { result != nil }
            if let result { return try result.get() }
        }
    }

    /// Keeps the thread.
    public static func block(for time: Duration) {
        let start = MonotonicInstant.now
        while MonotonicInstant.now - start < time {}
    }
}

/// A condition did not become true within the time limit of a test.
nonisolated struct WaitTimeout: Error {
    let condition: String

    init(for condition: String) { self.condition = condition }
}
