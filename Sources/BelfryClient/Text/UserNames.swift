// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// The names of users, each asked for once.
package final class UserNames {
    private var names: [UInt32: String] = [0: "root"]

    /// Nobody asked for yet.
    package init() {}

    /// The name of a user in the password database, or the number of one that is not there.
    package func name(of uid: UInt32) -> String {
        if let name = names[uid] { return name }
        let name = getpwuid(uid).map { String(cString: $0.pointee.pw_name) } ?? "uid \(uid)"
        // A service may name all 2^32 of them.
        if names.count >= 1024 { names = [:] }
        names[uid] = name
        return name
    }
}
