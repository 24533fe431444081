// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Finds the directories of the caches, and checks that they are not those of the service itself.
nonisolated extension LoadedConfiguration {
    /// The same configuration, with the values of specifiers in the paths of caches, and with an error if a cache is or
    /// contains the runtime or the state directory. A cache may be inside one of them.
    ///
    /// - Parameters:
    ///   - environment: the environment of the service, which determines those directories.
    ///   - uid: the effective user of the service.
    ///   - name: the name of the service's directories.
    ///   - specifiers: the values of the specifiers.
    package func checkingCaches(
        environment: [String: String], uid: UInt32, name: String, specifiers: Specifiers
    ) -> LoadedConfiguration {
        let paths = RuntimePaths(
            environment: environment, uid: uid, name: name, runtimeDirectory: decoded.service.runtimeDirectory,
            stateDirectory: decoded.service.stateDirectory)
        let directories: [(name: String, path: String)] = [
            ("runtime directory", paths.runtimeDirectory), ("state directory", paths.stateDirectory),
            ("directory for the states of listeners", paths.stateDirectory + "/state"),
        ]
        var found = DiagnosticList()
        var checked = self
        for (index, section) in effective.sections("Cache").enumerated() {
            guard let position = section.position(of: "Path") else { continue }
            checked.decoded.caches[index].paths = decoded.caches[index].paths.compactMap { word in
                do throws(ValueProblem) {
                    let path = try specifiers.path(word)
                    if let problem = Self.problem(of: path, directories) {
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

    /// What is no cache is not found here if a symbolic link leads to it: a flush deletes only below a CACHEDIR.TAG.
    private static func problem(of path: String, _ directories: [(name: String, path: String)]) -> String? {
        let pattern = PathPattern(path)
        guard let directory = directories.first(where: { pattern.holds($0.path) }) else { return nil }
        let verb = pattern.matches(directory.path) ? "is" : "holds"
        return "\(verb) the service's \(directory.name) \(DisplayText.quoted(directory.path)), "
            + "name a directory that holds nothing but the cache"
    }
}
