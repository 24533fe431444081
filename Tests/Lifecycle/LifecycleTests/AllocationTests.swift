// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import TestSupport
import Testing

/// The allocations of a post, counted in a program with its own malloc(3).
struct AllocationTests {
    @Test func aPostAllocatesNothing() throws {
        let (lines, status) = try ProbeProcess("AllocationProbe", []).finish()
        #expect(status == 0)
        // The first line shows that allocations are counted: a thousand arrays.
        #expect(lines == ["array: 1000", "unobserved: 0", "catalogue: 0", "observed: 0", "calls: 1001"])
    }
}
