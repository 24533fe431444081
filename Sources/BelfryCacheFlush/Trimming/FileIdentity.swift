// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry

/// What all names of one file have in common, and no two files. Inode numbers count for one device alone, and a tree may
/// show files of several: those on an overlay have the devices of its layers.
package nonisolated struct FileIdentity: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64

    /// The identity of the file with an inode number on a device.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// The identity that a status tells.
    init(_ status: belfry_status) {
        self.init(device: status.device, inode: status.inode)
    }
}
