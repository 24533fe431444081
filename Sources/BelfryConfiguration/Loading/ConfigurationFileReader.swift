// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import CBelfry
import Glibc

/// Access to the files of a configuration. `SystemFileReader` reads the file system; tests use files in memory.
package nonisolated protocol ConfigurationFileReader: Sendable {
    /// The first `limit` bytes of a file; none for /dev/null.
    func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8]

    /// The names in a directory, in any order.
    func names(in directory: String) throws(FileProblem) -> [String]
}

nonisolated extension ConfigurationFileReader {
    /// The files `*.conf` of these directories, sorted by name. Of files with the same name, the one in the first directory
    /// is used. A missing directory counts as empty; `problem` is called for one that cannot be read.
    func dropIns(in directories: [String], problem: (String, FileProblem) -> Void) -> [String] {
        var paths: [UTF8Text: String] = [:]
        for directory in directories {
            do throws(FileProblem) {
                for name in try names(in: directory)
                where name.utf8.suffix(5).elementsEqual(".conf".utf8) && name.utf8.first != UInt8(ascii: ".") {
                    let key = UTF8Text(name)
                    paths[key] = paths[key] ?? "\(directory)/\(name)"
                }
            } catch {
                if !error.isMissing { problem(directory, error) }
            }
        }
        return paths.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// Why a file or directory could not be read.
package nonisolated struct FileProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error number (errno(3)).
    package let code: CInt

    /// A problem with this error number.
    package init(code: CInt) {
        self.code = code
    }

    /// Whether there is no such file.
    var isMissing: Bool { code == ENOENT }

    /// The message and the name of the error: `Permission denied (EACCES)`.
    package var description: String {
        let text = belfry_error_text(code).map { String(cString: $0) } ?? "unknown error"
        let name = belfry_error_name(code).map { String(cString: $0) } ?? "\(code)"
        return "\(text) (\(name))"
    }
}

/// Reads files from the file system.
package nonisolated struct SystemFileReader: ConfigurationFileReader {
    /// A reader.
    package init() {}

    /// Reads a regular file, or nothing from /dev/null.
    ///
    /// - Throws: `FileProblem` with the system's error; EISDIR for a directory, and EINVAL for any other special file, so
    ///   that a FIFO does not block.
    package func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileProblem(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileProblem(code: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return try readAll(descriptor, limit: limit)
        case S_IFDIR: throw FileProblem(code: EISDIR)
        case S_IFCHR where isNull(status): return []
        default: throw FileProblem(code: EINVAL)
        }
    }

    /// Names that are not UTF-8 contain replacement characters: opening such a file fails and is reported.
    package func names(in directory: String) throws(FileProblem) -> [String] {
        guard let stream = opendir(directory) else { throw FileProblem(code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        guard errno == 0 else { throw FileProblem(code: errno) }
        return names
    }

    private func readAll(_ descriptor: CInt, limit: Int) throws(FileProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        var code: CInt = 0
        while bytes.count < limit {
            let wanted = min(limit - bytes.count, 65536)
            let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                let result = Glibc.read(descriptor, buffer.baseAddress, wanted)
                code = result < 0 ? errno : 0
                count = max(result, 0)
            }
            if code == EINTR { continue }
            guard code == 0 else { throw FileProblem(code: code) }
            if chunk.isEmpty { break }
            bytes += chunk
        }
        return bytes
    }

    private func isNull(_ status: stat) -> Bool {
        var null = stat()
        return stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev
    }
}
