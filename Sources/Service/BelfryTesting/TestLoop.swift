// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryEventLoop
public import BelfryLinux

/// An event loop for tests. Its sources work while the test waits, and other tests of the main actor run meanwhile.
///
/// `MainEventLoop.run()` takes the main thread for itself, which `swift test` needs. This loop has one turn a
/// millisecond between other work of the main actor, for as long as it exists. So descriptors, timers and child
/// processes work as in a service, up to a millisecond later, and as many tests with a loop of their own run at a time
/// as you like.
///
///     let test = try TestLoop()
///     let timer = try test.loop.timer(after: .milliseconds(20)) { hasFired = true }
///     try await test.until { hasFired }
@MainActor public final class TestLoop {
    /// The loop, for the objects that a test examines.
    public let loop: MainEventLoop
    private var turns: Task<Void, Never>?
    private var failure: SystemError?

    /// Makes a loop, and begins to turn it.
    ///
    /// - Throws: when the system has no descriptor or no memory left for it.
    public init() throws(SystemError) {
        loop = try MainEventLoop()
        turns = Task { [weak self] in
            while !Task.isCancelled, self?.turn() == true { try? await Task.sleep(for: .milliseconds(1)) }
        }
    }

    isolated deinit { turns?.cancel() }

    /// Waits until a condition holds, and looks after each turn of the loop.
    ///
    /// - Parameters:
    ///   - condition: what the test waits for.
    ///   - limit: how long it waits, by the real clock, before the test has failed.
    ///   - file: where the test waits, for the error.
    ///   - line: the same.
    /// - Throws: `TestTimeout` at the limit, what the condition throws, the failure of the loop, and
    ///   `CancellationError`.
    public func until(
        within limit: Duration = .seconds(60), file: String = #fileID, line: Int = #line,
        _ condition: () throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + limit
        while try !condition() {
            if let failure { throw failure }
            guard ContinuousClock.now < end else { throw TestTimeout(limit: limit, location: "\(file):\(line)") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Handles the events that are ready, at most a hundred, so that a source that is always ready does not stop the
    /// test.
    ///
    /// - Returns: whether the loop still works.
    private func turn() -> Bool {
        do throws(SystemError) {
            for _ in 0..<100 where try !loop.turn(waiting: .zero) { break }
        } catch {
            failure = error
        }
        return failure == nil
    }
}

/// A condition did not hold within the time that a test waits.
public nonisolated struct TestTimeout: Error, Sendable, CustomStringConvertible {
    let limit: Duration
    let location: String

    /// File and line of the `until`, which a test library does not know, and the limit.
    public var description: String { "the condition at \(location) did not hold within \(limit)" }
}
