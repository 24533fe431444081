// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfryLinux
internal import Glibc

/// Access to the files of a configuration. `SystemFileReader` reads the file system; tests use files in memory.
package nonisolated protocol ConfigurationFileReader: Sendable {
    /// The first `limit` bytes of a file; none for /dev/null.
    func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]

    /// The names in a directory, in any order.
    func names(in directory: String) throws(SystemError) -> [String]
}

nonisolated extension ConfigurationFileReader {
    /// The files of these directories whose names end in `suffix`, sorted by name. Of files with the same name, the one
    /// in the first directory is used. A missing directory counts as empty; `problem` is called for one that cannot be
    /// read.
    func files(in directories: [String], suffix: String, problem: (SystemError) -> Void) -> [String] {
        var paths: [UTF8Text: String] = [:]
        for directory in directories {
            do throws(SystemError) {
                for name in try names(in: directory)
                where name.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
                    && name.utf8.first != UInt8(ascii: ".")
                {
                    let key = UTF8Text(name)
                    paths[key] = paths[key] ?? "\(directory)/\(name)"
                }
            } catch {
                if error.code != ENOENT { problem(error) }
            }
        }
        return paths.keys.sorted().compactMap { paths[$0] }
    }
}

/// Reads files from the file system.
package nonisolated struct SystemFileReader: ConfigurationFileReader {
    /// A reader.
    package init() {}

    /// Reads a regular file, or nothing from /dev/null.
    ///
    /// - Throws: the system's error; EISDIR for a directory, and EINVAL for any other special file, so
    ///   that a FIFO does not block.
    package func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last(verb: "read", object: path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last(verb: "read", object: path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return try FileContent.read(descriptor, of: path, limit: limit)
        case S_IFDIR: throw SystemError(EISDIR, verb: "read", object: path)
        case S_IFCHR where FileContent.isNull(descriptor): return []
        default: throw SystemError(EINVAL, verb: "read as a regular file", object: path)
        }
    }

    /// Names that are not UTF-8 contain replacement characters: opening such a file fails and is reported.
    package func names(in directory: String) throws(SystemError) -> [String] {
        try DirectoryContent.names(in: directory)
    }
}
