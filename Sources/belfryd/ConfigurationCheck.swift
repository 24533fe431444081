// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfryConfiguration
internal import Glibc

/// `--check-config` and `--print-config`: diagnostics are printed on standard error, settings on standard output.
enum ConfigurationCheck {
    /// - Parameter unit: the name or the path of a systemd unit to check against the configuration.
    /// - Returns: the exit code: 78 if there is an error.
    static func run(files: [String]?, prints: Bool, unit: String? = nil) -> Int32 {
        let loaded = ConfigurationLoader.load(from: files.map { .files($0) } ?? .standard)
            .checkingCaches(environment: Environment.variables, uid: geteuid(), onDisk: true)
        for diagnostic in loaded.diagnostics { StandardStreams.error("\(diagnostic)\n") }
        let found = unit.map { UnitCheck.run($0, against: loaded.settings) } ?? []
        for diagnostic in found { StandardStreams.error("\(diagnostic)\n") }
        guard loaded.settings != nil, !found.contains(where: { $0.severity == .error }) else {
            return ServiceExit.configuration
        }
        if prints { StandardStreams.output(loaded.effective.printed()) }
        return ServiceExit.success
    }
}

/// Standard output and standard error, written without a buffer.
enum StandardStreams {
    static func output(_ text: String) { write(text, to: STDOUT_FILENO) }

    static func error(_ text: String) { write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
