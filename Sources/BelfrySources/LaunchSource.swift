// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc
package import Lifecycle
internal import BelfrySystemd

/// Finds out how and why the process was started.
package nonisolated enum LaunchSource {
    /// What the environment says, with the names of the descriptors that were handed over and of the credentials.
    ///
    /// - Parameter isPrivate: whether a descriptor of this name is nobody's business.
    package static func options(
        _ environment: [String: String], isPrivate: (String) -> Bool = { _ in false }
    ) -> LaunchOptions {
        let descriptors = ((try? ListenDescriptors.received())?.descriptors ?? []).filter { !isPrivate($0.name) }
        return LaunchOptions(
            environment: environment,
            descriptors: descriptors.map { ($0.name, ListenDescriptors.isStored($0.descriptor, named: $0.name)) },
            credentials: environment["CREDENTIALS_DIRECTORY"].map(names) ?? [])
    }

    /// The names of the entries of a directory; none when it cannot be read.
    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
