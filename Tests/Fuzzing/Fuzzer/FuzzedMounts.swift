// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySources

/// The mount table of the kernel: mount points are absolute, and there are at most as many as lines.
nonisolated enum FuzzedMounts {
    static func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        let text = String(decoding: bytes, as: UTF8.self)
        let table = MountTable(text)
        precondition(table.mounts.allSatisfy { $0.root.hasPrefix("/") && $0.point.hasPrefix("/") })
        precondition(table.mounts.count <= text.utf8.count { $0 == UInt8(ascii: "\n") } + 1)
        return 0
    }
}
