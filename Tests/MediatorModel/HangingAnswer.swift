// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A call of a listener that waits to be resumed.
final class HangingAnswer {
    let listener: Int
    let call: Int
    let isStubborn: Bool
    let after: [Scenario.Step]
    /// How it ends when it is resumed.
    var end = Scenario.End.returning(1)
    var wasGivenUp = false
    /// For one that ends by calling back.
    var completion: ((Result<Void, any Error>) -> Void)?
    private let isElsewhere: Bool
    private let gate = Gate()

    init(listener: Int, call: Int, isStubborn: Bool, isElsewhere: Bool, after: [Scenario.Step]) {
        self.listener = listener
        self.call = call
        self.isStubborn = isStubborn
        self.isElsewhere = isElsewhere
        self.after = after
    }

    func open() { gate.open() }

    /// Waits; `cancelled` is called in the turn in which the task is.
    func wait(cancelled: @escaping @MainActor () -> Void) async {
        await withTaskCancellationHandler {
            if isElsewhere { await gate.waitElsewhere() } else { await gate.wait() }
        } onCancel: {
            MainActor.assumeIsolated { cancelled() }
        }
    }
}
