// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

/// A line of the table of subscribers. It counts when `state` says so.
package nonisolated struct KeptSubscriber {
    /// 0 for a free line, else 1.
    var state: UInt64 = 0
    /// Of the socket (stat(2)): names of descriptors are used again.
    var inode: UInt64 = 0
    var progress = belfry_progress()
    /// The first block with the names that were asked for, counted from 1; 0 stands for all names.
    var block: UInt32 = 0
    /// How many bytes they take there.
    var length: UInt32 = 0
    var reserved: (UInt64, UInt64, UInt64) = (0, 0, 0)
}
