// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryLinux
import Glibc
import Synchronization

nonisolated extension ConfigurationLoader {
    /// Loads the configuration of a service without sections of its own.
    static func load(
        from sources: ConfigurationSources, reader: any ConfigurationFileReader = SystemFileReader()
    ) -> LoadedConfiguration {
        read(from: sources, reader: reader).requiringKnownSections([])
    }
}

nonisolated extension LoadedConfiguration {
    /// The changed keys that need a restart, as a refused reload names them.
    func restartKeys(changedFrom old: LoadedConfiguration) -> [String] {
        BelfrySettings.restartKeys.filter { $0.differs(decoded, old.decoded) }.map { $0.description(in: effective) }
    }
}

/// Files in a dictionary.
nonisolated struct MemoryFiles: ConfigurationFileReader {
    var files: [String: [UInt8]] = [:]
    var failing: [String: CInt] = [:]

    init(_ files: [String: String] = [:], failing: [String: CInt] = [:]) {
        self.files = files.mapValues { Array($0.utf8) }
        self.failing = failing
    }

    func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        if let code = failing[path] { throw SystemError(code, verb: "read", object: path) }
        guard let bytes = files[path] else { throw SystemError(ENOENT, verb: "read", object: path) }
        return Array(bytes.prefix(limit))
    }

    func names(in directory: String) throws(SystemError) -> [String] {
        if let code = failing[directory] { throw SystemError(code, verb: "read", object: directory) }
        let paths = Array(files.keys) + failing.keys.filter { $0.hasSuffix(".conf") }
        let names = paths.filter { $0.hasPrefix(directory + "/") }.map { String($0.dropFirst(directory.count + 1)) }
        guard !names.isEmpty else { throw SystemError(ENOENT, verb: "read", object: directory) }
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

/// Files of which some are still listed, and are gone as soon as one tries to read them.
nonisolated final class VanishingFiles: ConfigurationFileReader {
    private let files: Mutex<MemoryFiles>
    private let vanished: [String]

    init(_ files: MemoryFiles, vanished: [String]) {
        self.files = Mutex(files)
        self.vanished = vanished
    }

    func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let files = files.withLock { files in
            if vanished.contains(path) { files.files[path] = nil }
            return files
        }
        return try files.read(path, limit: limit)
    }

    func names(in directory: String) throws(SystemError) -> [String] {
        try files.withLock { $0 }.names(in: directory)
    }
}
