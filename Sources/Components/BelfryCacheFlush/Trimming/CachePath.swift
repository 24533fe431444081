// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import CBelfry
import Glibc

/// A path of a cache, and the directories that it names.
///
/// From the first component with a pattern on, no symbolic link is followed: whoever may write to a directory there
/// must not direct a flush elsewhere. For the same reason the directories are handed over open, not as paths.
nonisolated struct CachePath {
    private static let mostDirectories = 4096

    private let text: String
    private let pattern: PathPattern
    private let monitor: FlushMonitor

    init(_ text: String, monitor: FlushMonitor) {
        self.text = text
        self.monitor = monitor
        pattern = PathPattern(text)
    }

    /// Calls `body` with each directory that the path names, or with the reason why it cannot be used. What matches a
    /// pattern and is no directory with a valid CACHEDIR.TAG is no cache, and is skipped.
    func visit(_ body: (Result<CacheDirectory, CacheError>) -> Void) {
        guard !pattern.patterns.isEmpty else {
            return body(Result { () throws(CacheError) in try CacheDirectory(text) })
        }
        let descriptor = open(pattern.prefix, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        do throws(Errno) {
            guard descriptor >= 0 else { throw Errno(errno) }
            let path = pattern.prefix == "/" ? "" : pattern.prefix
            var count = 0
            _ = visit(pattern.patterns[...], in: try CacheDirectory(taking: descriptor, path: path)) {
                count += 1
                if count > Self.mostDirectories { return false }
                body($0)
                return true
            }
            if count > Self.mostDirectories {
                body(.failure(CacheError.tooManyDirectories(text, Self.mostDirectories)))
            }
        } catch {
            if error.code != ENOENT { body(.failure(CacheError(error, "open", pattern.prefix))) }
        }
    }

    /// - Returns: whether to go on.
    private func visit(
        _ patterns: ArraySlice<String>, in above: CacheDirectory, _ body: (Result<CacheDirectory, CacheError>) -> Bool
    ) -> Bool {
        guard let first = patterns.first else {
            do throws(CacheError) {
                try CacheTag.require(in: above)
                return body(.success(above))
            } catch {
                let path = above.path
                let untagged: [CacheError] = [.tagMissing(path), .tagNotRegular(path), .tagSignature(path)]
                return untagged.contains(error) ? true : body(.failure(error))
            }
        }
        var goesOn = true
        do throws(Errno) {
            while goesOn, !monitor.isCancelled, let name = try above.stream.next() {
                guard PathPattern.matches(first, name) else { continue }
                let path = above.path(of: name)
                let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
                let descriptor = openat(above.descriptor, name, flags)
                if descriptor >= 0 {
                    goesOn = visit(patterns.dropFirst(), descriptor, path, body)
                } else if ![ENOENT, ENOTDIR, ELOOP].contains(errno) {
                    goesOn = body(.failure(CacheError(Errno(errno), "open", path)))
                }
            }
        } catch {
            goesOn = body(.failure(CacheError(error, "read", above.path)))
        }
        return goesOn
    }

    private func visit(
        _ patterns: ArraySlice<String>, _ descriptor: Int32, _ path: String,
        _ body: (Result<CacheDirectory, CacheError>) -> Bool
    ) -> Bool {
        do throws(Errno) {
            return visit(patterns, in: try CacheDirectory(taking: descriptor, path: path), body)
        } catch {
            return body(.failure(CacheError(error, "open", path)))
        }
    }
}

/// An open directory of a cache.
nonisolated struct CacheDirectory {
    /// For messages.
    let path: String
    let stream: NameStream

    var descriptor: Int32 { stream.descriptor }

    /// Takes ownership of the descriptor, also on error.
    init(taking descriptor: Int32, path: String) throws(Errno) {
        stream = try NameStream(taking: descriptor)
        self.path = path
    }

    /// The path of a name in it, for messages; invalid UTF-8 is replaced.
    func path(of name: UnsafePointer<CChar>) -> String { "\(path)/\(String(cString: name))" }

    /// Opens a directory. With a trailing slash or `/.` the kernel would follow a link despite O_NOFOLLOW.
    ///
    /// - Throws: `CacheError` if the path is invalid or a symbolic link, or cannot be opened.
    init(_ path: String) throws(CacheError) {
        let parts = path.split(separator: "/").filter { $0 != "." }
        guard path.hasPrefix("/"), !parts.isEmpty, !parts.contains(".."), !path.utf8.contains(0) else {
            throw CacheError.path(path)
        }
        let plain = PathPattern("/" + parts.joined(separator: "/")).prefix
        let descriptor = Glibc.open(plain, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            var status = belfry_status()
            guard belfry_status_at(AT_FDCWD, plain, &status) == 0, belfry_is_link(status.mode) else {
                throw CacheError(Errno(code), "open", path)
            }
            throw CacheError.link(path)
        }
        do throws(Errno) {
            try self.init(taking: descriptor, path: path)
        } catch {
            throw CacheError(error, "open", path)
        }
    }
}
