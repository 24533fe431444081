// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import TestSupport
import Testing

nonisolated struct FuzzTests {
    private static let pieces: [String] =
        [
            "[Service]\n", "[Signals]\n", "[Socket]\n", "[Logger]\n", "[Cache a]\n", "[Cache b]\n", "[", "]", "\\\n",
            "=", "#", ";", "\n", "\r\n", " ", "\"", "'", "\\x41", "\\", "\u{301}", "=\u{301}", "\u{1F6CE}", "\u{FEFF}",
            "1min 30s",
            "infinity", "99999999999999999999", "1.5G", "-1", "RTMIN+5=", "RTMAX-99=", "SIGUSR1=stop\n", "KILL=stop\n",
            "Path=/a\n", "On=a \"b", "On=\n",
        ] + ConfigurationSchema.belfry.sections.flatMap { $0.keys.map { "\($0.name)=\($0.defaultText)\n" } }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func nothingThatIsReadEndsTheProgram(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        var accepted = 0
        for _ in 0..<2500 {
            let bytes = Self.input(&generator)
            var files = MemoryFiles()
            files.files["a"] = bytes

            let loaded = ConfigurationLoader.load(from: .files(["a"]), reader: files)

            #expect(loaded.settings != nil || !loaded.diagnostics.isEmpty, "input \(bytes)")
            #expect(loaded.diagnostics.allSatisfy { $0.position.line > 0 && $0.position.column > 0 }, "input \(bytes)")
            let printed = loaded.effective.printed()
            if let settings = loaded.settings {
                accepted += 1
                #expect(MemoryFiles.load(printed).settings == settings, "input \(bytes)")
            }
        }
        #expect(accepted > 100)
    }

    private static func input(_ generator: inout SeededRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        switch UInt8.random(in: 0..<4, using: &generator) {
        case 0:
            for _ in 0..<Int.random(in: 0..<64, using: &generator) {
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            }
            return bytes
        case 1:
            return Array((0..<Int.random(in: 0..<4, using: &generator)).map { _ in section(&generator) }.joined().utf8)
        default:
            for _ in 0..<Int.random(in: 1..<16, using: &generator) {
                bytes += Array((pieces.randomElement(using: &generator) ?? "").utf8)
            }
        }
        for _ in 0..<Int.random(in: 0..<4, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch UInt8.random(in: 0..<3, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: index)
            default: bytes.insert(bytes[index], at: index)
            }
        }
        return bytes
    }

    /// A section that is valid, and sometimes not quite.
    private static func section(_ generator: inout SeededRandom) -> String {
        let sections = ConfigurationSchema.belfry.sections
        guard let section = sections.randomElement(using: &generator) else { return "" }
        var text = section.instance == nil ? "[\(section.name)]\n" : "[\(section.name) x]\nPath=/x\n"
        for key in section.keys where Bool.random(using: &generator) {
            let isDefault = UInt8.random(in: 0..<16, using: &generator) > 0
            text += "\(key.name)=\(isDefault ? key.defaultText : pieces.randomElement(using: &generator) ?? "")\n"
        }
        return text
    }
}
