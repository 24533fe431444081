// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc

/// Finds the directories of the caches, and checks that a flush cannot delete files that are no cache: those of the
/// service itself, or a whole file system.
nonisolated extension LoadedConfiguration {
    /// The same configuration, with the values of specifiers in the paths of caches, and with an error if a cache is or
    /// contains the runtime or the state directory. A cache may be inside one of them.
    ///
    /// - Parameters:
    ///   - environment: the environment of the service, which determines those directories.
    ///   - uid: the effective user of the service.
    ///   - name: the name of the service's directories.
    ///   - specifiers: the values of the specifiers.
    ///   - onDisk: whether to resolve symbolic links and find mount points in the file system. That may block; a flush
    ///     checks for mount points itself.
    package func checkingCaches(
        environment: [String: String], uid: UInt32, name: String, specifiers: Specifiers, onDisk: Bool
    ) -> LoadedConfiguration {
        let paths = RuntimePaths(
            environment: environment, uid: uid, name: name, runtimeDirectory: decoded.service.runtimeDirectory,
            stateDirectory: decoded.service.stateDirectory)
        let directories = [
            ("runtime directory", paths.runtimeDirectory), ("state directory", paths.stateDirectory),
            ("directory for the states of listeners", paths.stateDirectory + "/state"),
        ].map { (name: $0, path: $1, real: onDisk ? Self.realPath($1) : $1) }
        var found = DiagnosticList()
        var checked = self
        for (index, section) in effective.sections("Cache").enumerated() {
            guard let position = section.position(of: "Path") else { continue }
            checked.decoded.caches[index].paths = decoded.caches[index].paths.compactMap { word in
                do throws(ValueProblem) {
                    let path = try specifiers.path(word)
                    if let problem = Self.problem(of: path, directories, onDisk: onDisk) {
                        found.error(at: position, "the cache \(DisplayText.quoted(path)) \(problem)")
                    }
                    return path
                } catch {
                    found.error(at: position, "invalid value of 'Path': \(error.message)")
                    return nil
                }
            }
        }
        return checked.adding(found.diagnostics)
    }

    private static func problem(
        of path: String, _ directories: [(name: String, path: String, real: String)], onDisk: Bool
    ) -> String? {
        var pattern = PathPattern(path)
        if onDisk { pattern.prefix = realPath(pattern.prefix) }
        if let directory = directories.first(where: { pattern.holds($0.real) }) {
            let verb = pattern.matches(directory.real) ? "is" : "holds"
            return "\(verb) the service's \(directory.name) \(DisplayText.quoted(directory.path)), "
                + "name a directory that holds nothing but the cache"
        }
        guard onDisk, pattern.patterns.isEmpty, isMountPoint(pattern.prefix) else { return nil }
        return "is a mount point, name a directory below it"
    }

    /// `path` with the symbolic links of its existing part resolved (realpath(3)).
    private static func realPath(_ path: String) -> String {
        var rest = ""
        var known = path.utf8[...]
        while let slash = known.lastIndex(of: UInt8(ascii: "/")) {
            if let real = realpath(String(Substring(known)), nil) {
                defer { free(real) }
                return AbsolutePath.withoutSlash(String(cString: real)) + rest
            }
            rest = String(Substring(known[slash...])) + rest
            known = known[..<slash]
        }
        return path
    }

    private static func isMountPoint(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return belfry_is_mount_point(descriptor) == 1
    }
}
