// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension ConfigurationFileReader {
    /// The files `*.conf` of these directories in the order of their names; of those with one name that in the first
    /// directory. A directory that is not there has none; `problem` hears of one that cannot be read.
    func dropIns(in directories: [String], problem: (String, FileProblem) -> Void) -> [String] {
        var paths: [String: String] = [:]
        for directory in directories {
            do throws(FileProblem) {
                for name in try names(in: directory)
                where name.hasSuffix(".conf") && !name.hasPrefix(".") && paths[name] == nil {
                    paths[name] = "\(directory)/\(name)"
                }
            } catch {
                if !error.isMissing { problem(directory, error) }
            }
        }
        return paths.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }
}
