// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfryConfiguration
internal import Glibc

/// `--check-config` and `--print-config`: what is wrong goes to standard error, what holds to standard output.
enum ConfigurationCheck {
    /// - Returns: the exit code: 78 when there is an error.
    static func run(files: [String]?, prints: Bool) -> Int32 {
        let loaded = ConfigurationLoader.load(from: files.map { .files($0) } ?? .standard)
        for diagnostic in loaded.diagnostics { write("\(diagnostic)\n", to: STDERR_FILENO) }
        guard loaded.settings != nil else { return ServiceExit.configuration }
        if prints { write(loaded.effective.printed(), to: STDOUT_FILENO) }
        return ServiceExit.success
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
