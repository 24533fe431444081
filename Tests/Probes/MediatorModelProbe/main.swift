// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import MediatorModel

/// Checks COUNT random sequences, from the seed FIRST on: MediatorModelProbe COUNT [FIRST]
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = arguments.first ?? 1000
let first = arguments.dropFirst().first ?? 1

for seed in first..<first + count {
    if let difference = await ScenarioCheck.difference(seed: seed) {
        print(difference)
        exit(1)
    }
}
print("\(count) sequences from seed \(first) on, and no difference")
