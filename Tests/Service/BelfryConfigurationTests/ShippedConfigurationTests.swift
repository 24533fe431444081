// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import TestSupport
import Testing

struct ShippedConfigurationTests {
    private let path = ProjectFile.url("config/belfry.conf").path

    private func lines() throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
    }

    /// `#Key=value` is a key; prose after `#` begins with a space.
    private func isSetting(_ line: String) -> Bool {
        line.hasPrefix("#") && !line.hasPrefix("# ") && line.contains("=")
    }

    @Test func everyKeyHasItsDefaultInTheOrderOfItsSection() throws {
        let shown = try lines().filter { isSetting($0) || $0.hasPrefix("[") || $0.hasPrefix("#[") }
            .map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }

        let expected = MemoryFiles.load("").effective.schema.flatMap { section in
            ["[\(section.title)]"] + section.read.map { "\($0.name)=\($0.defaultText ?? "")" }
        }
        #expect(shown == expected)
    }

    @Test func shippedFileHasOnlyDefaults() {
        let loaded = ConfigurationLoader.load(from: .files([path]))

        #expect(loaded.diagnostics.isEmpty)
        #expect(loaded.settings == BelfrySettings.defaults)
    }

    @Test func uncommentedFileGivesTheSameSettings() throws {
        let text = try lines().map { line in
            if line == "#Path=" { return "Path=/a" }
            return isSetting(line) || line.hasPrefix("#[") ? String(line.dropFirst()) : line
        }.joined(separator: "\n")

        let loaded = MemoryFiles.load(text)

        #expect(loaded.diagnostics.isEmpty)
        var expected = BelfrySettings.defaults
        expected.socket.path = "/a"
        expected.caches = try #require(MemoryFiles.load("[Cache NAME]\nPath=/a\n").settings).caches
        #expect(loaded.settings == expected)
    }
}
