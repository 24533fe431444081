// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryLinux

/// Files that the kernel writes, such as those of proc(5) and of a control group.
nonisolated enum KernelFile {
    /// The whole of a file, at most 16 MiB.
    static func text(_ path: String) throws(SystemError) -> String {
        do throws(FileProblem) {
            return String(decoding: try SystemFileReader().read(path, limit: 16 << 20), as: UTF8.self)
        } catch {
            throw SystemError(error.code, verb: "read", object: path)
        }
    }

    /// The number after `key` in a file of lines `KEY NUMBER`; nil without such a file or line.
    static func number(_ key: String, in path: String) -> UInt64? {
        guard let text = try? text(path) else { return nil }
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            if words.count == 2, words[0].elementsEqual(key.utf8) { return UInt64(Substring(words[1])) }
        }
        return nil
    }
}
