// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryLinux
import CBelfry
import Glibc

extension GeneratedUnits.File {
    /// Writes it. The directory is new and empty for each run (systemd.generator(7)), so nothing is replaced.
    @MainActor func write(below directory: String) throws(SystemError) {
        let path = "\(directory)/\(path)"
        let parent = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        if mkdir(parent, 0o755) != 0, errno != EEXIST { throw .last(verb: "make", object: parent) }
        switch content {
        case .link(let target):
            if symlink(target, path) != 0 { throw .last(verb: "make", object: path) }
        case .text(let text):
            let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard number >= 0 else { throw .last(verb: "make", object: path) }
            let file = OwnedDescriptor(owning: number)
            guard Glibc.write(file.number, text, text.utf8.count) == text.utf8.count else {
                throw .last(verb: "write", object: path)
            }
        }
    }
}
