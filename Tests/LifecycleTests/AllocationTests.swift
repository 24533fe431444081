// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import TestSupport
import Testing

/// What a post asks of the allocator, counted in a program with a malloc(3) of its own.
struct AllocationTests {
    @Test func aPostAllocatesNothing() throws {
        let (lines, status) = try ProbeProcess("AllocationProbe", []).finish()
        #expect(status == 0)
        // The first line shows that allocations are counted: a thousand arrays.
        #expect(lines == ["array: 1000", "unheard: 0", "catalogue: 0", "observed: 0", "calls: 1001"])
    }
}
