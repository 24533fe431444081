// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// The environment that the process was started with (environ(7)).
package nonisolated enum Environment {
    /// The variables whose names have only ASCII letters, digits and `_`. Of two with the same name the first counts,
    /// as in getenv(3).
    package static let variables = {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            entry += 1
            guard let end = strchr(text, Int32(UInt8(ascii: "="))) else { continue }
            let name = UnsafeRawBufferPointer(start: text, count: end - text)
            guard name.count <= 255, name.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }) else {
                continue
            }
            let key = String(decoding: name, as: UTF8.self)
            if variables[key] == nil { variables[key] = String(cString: end + 1) }
        }
        return variables
    }()

    /// Whether a service manager has started this process itself, and not a process before it (systemd.exec(5)).
    package static var isOfServiceManager: Bool { variables["SYSTEMD_EXEC_PID"] == "\(getpid())" }
}

nonisolated extension UInt8 {
    /// Whether it is a letter or a digit of ASCII.
    package var isLetterOrDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
