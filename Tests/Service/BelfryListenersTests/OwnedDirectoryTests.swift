// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import BelfryListeners
import Glibc
import TestSupport
import Testing

struct OwnedDirectoryTests {
    @Test func parentsAreMadeIfAsked() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("a/b/c")

        #expect(throws: SystemError.self) { try OwnedDirectory.make(path) }
        try OwnedDirectory.make(path, withParents: true)
        try OwnedDirectory.make(path, withParents: true)

        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    }
}
