// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import CBelfry

/// Performs the writes to one client, and records which of the numbered messages the client has, so that another process
/// can continue the stream.
package protocol VarlinkWriteRecorder: AnyObject {
    /// Writes as sendmsg(2) does, without waiting. The record must be correct even if the process is killed here.
    func send(_ descriptor: Int32, _ parts: UnsafeMutablePointer<iovec>?, _ count: Int) -> Int

    /// Called after each write: the client has `bytes` bytes of message `number`, and every message before it.
    func record(_ bytes: Int, of number: UInt64)
}
