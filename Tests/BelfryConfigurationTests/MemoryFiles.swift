// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Glibc

/// Files in a dictionary.
nonisolated struct MemoryFiles: ConfigurationFileReader {
    var files: [String: [UInt8]] = [:]
    var failing: [String: CInt] = [:]

    init(_ files: [String: String] = [:], failing: [String: CInt] = [:]) {
        self.files = files.mapValues { Array($0.utf8) }
        self.failing = failing
    }

    func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8] {
        if let code = failing[path] { throw FileProblem(code: code) }
        guard let bytes = files[path] else { throw FileProblem(code: ENOENT) }
        return Array(bytes.prefix(limit))
    }

    func names(in directory: String) throws(FileProblem) -> [String] {
        if let code = failing[directory] { throw FileProblem(code: code) }
        let paths = Array(files.keys) + failing.keys.filter { $0.hasSuffix(".conf") }
        let names = paths.filter { $0.hasPrefix(directory + "/") }.map { String($0.dropFirst(directory.count + 1)) }
        guard !names.isEmpty else { throw FileProblem(code: ENOENT) }
        return names
    }

    /// Loads one file, `a.conf`, with this text.
    static func load(_ text: String) -> LoadedConfiguration {
        ConfigurationLoader.load(from: .files(["a.conf"]), reader: MemoryFiles(["a.conf": text]))
    }

    /// The diagnostics of one file, `a.conf`, with this text.
    static func problems(_ text: String) -> [String] {
        load(text).diagnostics.map(\.description)
    }
}
