// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import MediatorModel
import Testing

/// A part of what `make model` runs.
struct MediatorModelTests {
    @Test(.timeLimit(.minutes(5)), arguments: [UInt64(1_000_000), 2_000_000])
    func mediatorMatchesTheModel(first: UInt64) async {
        for seed in first..<first + 1000 {
            if let difference = await ScenarioCheck.difference(seed: seed) {
                Issue.record("\(difference)")
                return
            }
        }
    }
}
