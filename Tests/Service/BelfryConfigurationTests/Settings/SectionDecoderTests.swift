// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

private nonisolated struct Thumb: Decodable, Equatable {
    enum Format: String, Decodable, CaseIterable {
        case jpeg, webp
    }

    enum Level: Int, Decodable {
        case low = 1
    }

    var title: String?
    var isOn: Bool?
    var threads: UInt8?
    var ratio: Double?
    var timeout: Duration?
    var sizeMax: ByteSize?
    var format: Format?
    var level: Level?
    var folders: [String]?
    var times: [Duration]?
    var formats: Set<Format>?
}

struct SectionDecoderTests {
    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) -> DecodedSection<Value> {
        let files = MemoryFiles(["a.conf": text])
        return SectionDecoder.decode(
            type, section: "T", of: ConfigurationLoader.read(from: .files(["a.conf"]), reader: files))
    }

    private func thumb(_ text: String) -> Thumb? { decode(Thumb.self, "[T]\n" + text).value }

    private func problems<Value: Decodable>(_ type: Value.Type, _ text: String) -> [String] {
        decode(type, "[T]\n" + text).diagnostics.map(\.description)
    }

    @Test func everyTypeHasTheSyntaxOfSystemd() {
        let value = thumb(
            """
            Title=A "b" c
            IsOn=yes
            Threads=255
            Ratio=-1.5e3
            Timeout=1min 30s
            SizeMax=1.5K
            Format=webp
            Level=1
            Folders=/a "/b c"
            Times=1s 2min
            Formats=jpeg jpeg
            """)

        #expect(
            value
                == Thumb(
                    title: "A \"b\" c", isOn: true, threads: 255, ratio: -1500, timeout: .seconds(90),
                    sizeMax: ByteSize(bytes: 1536), format: .webp, level: .low, folders: ["/a", "/b c"],
                    times: [.seconds(1), .seconds(120)], formats: [.jpeg]))
    }

    @Test func numbersOfEveryWidthAreRead() {
        struct Numbers: Decodable, Equatable {
            var small: Int8
            var large: UInt64
            var single: Float
        }

        let value = decode(Numbers.self, "[T]\nSmall=-128\nLarge=18446744073709551615\nSingle=0.5\n").value

        #expect(value == Numbers(small: -128, large: .max, single: 0.5))
        #expect(problems(Numbers.self, "Small=128\nLarge=0\nSingle=1\n").count == 1)
        #expect(problems(Numbers.self, "Small=1\nLarge=0\nSingle=1e39\n").count == 1)
    }

    @Test func keyThatIsNotSetIsNil() {
        #expect(thumb("") == Thumb())
        #expect(decode(Thumb.self, "").value == Thumb())
    }

    @Test func lastAssignmentCountsAndAnEmptyOneRestoresTheDefault() {
        #expect(thumb("Threads=1\nThreads=2\n[T]\nThreads=3\n")?.threads == 3)
        #expect(thumb("Threads=1\nThreads=\n") == Thumb())
    }

    @Test func listsAreAppendedAndCleared() {
        #expect(thumb("Folders=a b\nFolders=c\n")?.folders == ["a", "b", "c"])
        #expect(thumb("Folders=a b\nFolders=\nFolders=c\n")?.folders == ["c"])
        #expect(decode([String: [String]].self, "[T]\nA=a b\n").value == ["A": ["a", "b"]])
    }

    @Test func listThatIsNotSetIsEmpty() {
        struct Lists: Decodable { var folders: [String] }

        #expect(decode(Lists.self, "").value?.folders == [])
    }

    @Test func caseOfTheFirstLetterDoesNotMatter() {
        #expect(thumb("sizeMax=1\nSizeMax=2\n")?.sizeMax?.bytes == 2)
        #expect(
            problems(Thumb.self, "Sizemax=1\n") == [
                "a.conf:2:1: error: unknown key 'Sizemax' in section [T], did you mean 'SizeMax'?"
            ])
    }

    @Test func keysOfTheTypeAreUsedAsTheyAreWritten() {
        struct Keys: Decodable {
            enum CodingKeys: String, CodingKey {
                case address = "URL"
            }

            var address: String
        }

        #expect(decode(Keys.self, "[T]\nURL=x\n").value?.address == "x")
        #expect(problems(Keys.self, "Address=x\n").count == 2)
    }

    @Test(arguments: [
        "Threads=256": "9: error: invalid value of 'Threads': number '256' is out of range, expected 0 to 255",
        "Threads=x": "9: error: invalid value of 'Threads': expected a whole number, not 'x'",
        "IsOn=maybe": "6: error: invalid value of 'IsOn': expected 'yes' or 'no', not 'maybe'",
        "Ratio=nan": "7: error: invalid value of 'Ratio': expected a number, not 'nan'",
        "Ratio=1e999": "7: error: invalid value of 'Ratio': expected a number, not '1e999'",
        "Timeout=fast": "9: error: invalid value of 'Timeout': expected a number with a unit of time, such as '30s'",
        "Timeout=1min 5x": "15: error: invalid value of 'Timeout': unknown unit of time 'x'",
        "Timeout=infinity": "9: error: invalid value of 'Timeout': expected a time span, it cannot be 'infinity'",
        "SizeMax=-1": "9: error: invalid value of 'SizeMax': expected a number",
        "Format=jpg":
            "8: error: invalid value of 'Format': expected one of 'jpeg', 'webp', not 'jpg', did you mean 'jpeg'?",
        "Folders=a 'b": "11: error: invalid value of 'Folders': missing closing quote",
        "Times=1s 2x": "11: error: invalid value of 'Times': unknown unit of time 'x'",
        "Formats=jpeg wepb":
            "14: error: invalid value of 'Formats': expected one of 'jpeg', 'webp', not 'wepb', did you mean 'webp'?",
    ])
    func invalidValueHasItsPosition(line: String, expected: String) {
        #expect(problems(Thumb.self, line + "\n") == ["a.conf:2:" + expected])
    }

    @Test func valueOutsideOfAnEnumerationIsReported() {
        let found = problems(Thumb.self, "Level=2\n")

        #expect(found.count == 1 && found[0].hasPrefix("a.conf:2:7: error: invalid value of 'Level': "))
    }

    @Test func missingKeyIsReportedAtTheSectionOrTheMainFile() {
        struct Needed: Decodable { var path: String }

        #expect(problems(Needed.self, "") == ["a.conf:1:2: error: missing key 'Path' in section [T]"])
        #expect(
            decode(Needed.self, "").diagnostics.map(\.description)
                == ["a.conf:1:1: error: missing key 'Path' in section [T]"])
    }

    @Test func allUnknownKeysAreReportedBesideAnInvalidValue() {
        #expect(
            problems(Thumb.self, "Titel=a\nThreads=x\nSiz=1\n") == [
                "a.conf:3:9: error: invalid value of 'Threads': expected a whole number, not 'x'",
                "a.conf:2:1: error: unknown key 'Titel' in section [T], did you mean 'Title'?",
                "a.conf:4:1: error: unknown key 'Siz' in section [T]",
            ])
    }

    @Test func errorsOfTheTypeItselfAreReportedAtTheirKey() {
        struct Even: Decodable {
            enum CodingKeys: CodingKey {
                case port
            }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let port = try container.decodeIfPresent(Int.self, forKey: .port) ?? 80
                guard port.isMultiple(of: 2) else {
                    throw DecodingError.dataCorruptedError(forKey: .port, in: container, debugDescription: "it is odd")
                }
            }
        }

        #expect(problems(Even.self, "Port=3\n") == ["a.conf:2:6: error: invalid value of 'Port': it is odd"])
        #expect(problems(Even.self, "").isEmpty)
    }

    @Test func partsOfATypeShareTheSection() {
        struct Network: Decodable, Equatable { var port: Int }
        struct Both: Decodable {
            let network: Network
            let thumb: Thumb

            init(from decoder: any Decoder) throws {
                network = try Network(from: decoder)
                thumb = try Thumb(from: decoder)
            }
        }

        let decoded = decode(Both.self, "[T]\nPort=8\nTitle=x\n").value

        #expect(decoded?.network == Network(port: 8) && decoded?.thumb.title == "x")
        #expect(problems(Both.self, "Port=8\nTitle=x\nNo=1\n").count == 1)
    }

    @Test func nestedTypesAreRefused() {
        struct Inner: Decodable { var size: Int }
        struct Outer: Decodable { var inner: Inner }

        #expect(problems(Outer.self, "Inner=1\n").count == 1)
        #expect(problems([String].self, "A=1\n").first == "a.conf:1:2: error: section [T] needs a type with properties")
    }

    @Test func sectionTakesNoName() {
        #expect(
            decode(Thumb.self, "[T a]\nTitle=x\n").diagnostics.map(\.description)
                == ["a.conf:1:4: error: section [T] takes no name, found 'a'"])
    }

    @Test func printedSectionHasTheSameSettings() {
        let printed = decode(Thumb.self, "[T]\nThreads=1\nThreads=2\nFolders=a\nFolders='b c'\nTitle=\n").printed

        #expect(printed.hasPrefix("[T]\n# not set\n#Title=\n# not set\n#IsOn=\n# a.conf:3\nThreads=2\n# not set\n"))
        #expect(printed.contains("# a.conf:4\nFolders=a\n# a.conf:5\nFolders='b c'\n"))
        #expect(decode(Thumb.self, printed).value == Thumb(threads: 2, folders: ["a", "b c"]))
    }

    @Test func listIsLimited() {
        let words = String(repeating: "a ", count: 1025)

        #expect(problems(Thumb.self, "Folders=\(words)\n").count == 1)
        #expect(problems(Thumb.self, "Folders=\(words.dropLast(2))\n").isEmpty)
    }
}
