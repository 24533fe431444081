// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Something that observers can be added to. Each observer does the same: `benchmark_call`.
protocol ObserverSubject: AnyObject {
    var name: String { get }

    /// Tells all observers, so many times.
    func post(_ times: Int)

    /// Adds one observer more, and removes it.
    func addAndRemove()
}
