// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryLinux

/// A configuration file: it gives settings or diagnostics with positions, and the printed settings parse to the same.
nonisolated enum FuzzedConfiguration {
    private struct OneFile: ConfigurationFileReader {
        let bytes: [UInt8]

        func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] { Array(bytes.prefix(limit)) }
        func names(in directory: String) throws(SystemError) -> [String] { [] }
    }

    static func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        let loaded = load(Array(bytes))
        precondition(loaded.settings != nil || !loaded.diagnostics.isEmpty)
        precondition(loaded.diagnostics.allSatisfy { $0.position.line > 0 && $0.position.column > 0 })
        if let settings = loaded.settings {
            precondition(
                load(Array(loaded.effective.printed().utf8)).settings == settings, "settings change when printed")
        }
        let section = decode(Array(bytes))
        precondition(section.value != nil || !section.diagnostics.isEmpty)
        if let value = section.value {
            precondition(decode(Array(section.printed.utf8)).value == value, "a section changes when printed")
        }
        checkListener(Array(bytes))
        checkApplication(Array(bytes))
        return 0
    }

    /// A listener's file, and its command line with the text as the value of a variable.
    private static func checkListener(_ bytes: [UInt8]) {
        let file = ListenerFile("a", reader: OneFile(bytes: bytes))
        precondition(file.settings != nil || !file.file.diagnostics.isEmpty)
        guard case .program(let command) = file.settings?.commands else { return }
        _ = command.arguments(with: ["A": String(decoding: bytes, as: UTF8.self)])
    }

    /// The file of an application. Whatever is in it, systemd gets no other setting than those of the generator.
    private static func checkApplication(_ bytes: [UInt8]) {
        let file = ApplicationFile("a", in: .system(), reader: OneApplication(bytes: bytes))
        precondition(file.settings != nil || !file.file.diagnostics.isEmpty)
        guard let settings = file.declared else { return }
        let keys: Set<Substring> = [
            "SourcePath", "BindsTo", "After", "Before", "Wants", "Description", "TimeoutStartSec", "TimeoutStopSec",
            "User", "Environment", "SupplementaryGroups", "ExecReload",
            "DynamicUser", "RemoveIPC", "ProtectSystem", "ProtectHome", "PrivateTmp", "NoNewPrivileges",
            "RestrictSUIDSGID",
            "CapabilityBoundingSet",
        ]
        for file in GeneratedUnits(settings, isOfUser: false, isValid: file.settings != nil).files {
            let parts = file.path.split(separator: "/", omittingEmptySubsequences: false)
            precondition(
                parts.count == 2 && !parts.contains("") && !parts.contains(".."), "a path leaves the directory")
            guard case .text(let text) = file.content else { continue }
            for line in text.split(separator: "\n") where !["[Unit]", "[Service]"].contains(line) && line.first != "#" {
                precondition(keys.contains(line.prefix { $0 != "=" }), "a setting of the file's own: \(line)")
            }
        }
    }

    /// The same for a file of an application, beside which there is no listener.
    private struct OneApplication: ConfigurationFileReader {
        let bytes: [UInt8]

        func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
            guard path.hasSuffix(".conf") else { throw SystemError(2, verb: "read", object: path) }
            return Array(bytes.prefix(limit))
        }
        func names(in directory: String) throws(SystemError) -> [String] { [] }
    }

    /// A section of the service's own.
    private struct Section: Decodable, Equatable {
        var folders: [String]
        var timeout: Duration?
        var sizeMax: ByteSize?
        var threads: UInt8?
        var ratio: Double?
        var isOn: Bool?
        var title: String?
    }

    private static func decode(_ bytes: [UInt8]) -> DecodedSection<Section> {
        let loaded = ConfigurationLoader.read(from: .files(["a"]), reader: OneFile(bytes: bytes))
        return SectionDecoder.decode(Section.self, section: "T", of: loaded)
    }

    private static func load(_ bytes: [UInt8]) -> LoadedConfiguration {
        ConfigurationLoader.read(from: .files(["a"]), reader: OneFile(bytes: bytes)).requiringKnownSections([])
    }
}
