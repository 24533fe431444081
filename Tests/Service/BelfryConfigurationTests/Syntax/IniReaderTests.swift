// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct IniReaderTests {
    private func read(_ text: String) -> (sections: [IniSection], problems: [String]) {
        read(Array(text.utf8))
    }

    private func read(_ bytes: [UInt8]) -> (sections: [IniSection], problems: [String]) {
        var list = DiagnosticList()
        let sections = IniReader.read(bytes, file: "f", diagnostics: &list)
        return (sections, list.diagnostics.map(\.description))
    }

    @Test func sectionsKeysAndValuesHaveTheirPositions() throws {
        let (sections, problems) = read("# comment\n; too\n\n[Cache  images ]\n  Key =  some value \t\n")

        #expect(problems.isEmpty)
        let section = try #require(sections.first)
        #expect(section.name.string == "Cache" && section.name.position.description == "f:4:2")
        #expect(section.instance?.string == "images" && section.instance?.position.description == "f:4:9")
        let entry = try #require(section.entries.first)
        #expect(entry.key.string == "Key" && entry.key.position.description == "f:5:3")
        #expect(entry.value.string == "some value" && entry.value.position.description == "f:5:10")
    }

    @Test func continuedLinesAreJoinedWithoutComments() throws {
        let text = "[C]\nA=value 2 \\\n       value 2 continued\nB=value 3\\\n# ignored\n; too\n  value 3 continued\n"

        let entries = try #require(read(text).sections.first).entries

        #expect(entries.map(\.value.string) == ["value 2  value 2 continued", "value 3 value 3 continued"])
        #expect(entries[1].value.position(at: 0).description == "f:4:3")
        #expect(entries[1].value.position(at: 8).description == "f:7:3")
    }

    @Test func onlyAnOddNumberOfBackslashesContinues() throws {
        let entries = try #require(read("[C]\nA=x\\\\\nB=y\\\\\\\nz\nC=end\\").sections.first).entries

        #expect(entries.map(\.value.string) == ["x\\\\", "y\\\\ z", "end"])
    }

    @Test func emptyLineEndsAContinuedLine() throws {
        let entries = try #require(read("[C]\nA=x\\\n\nB=y\n").sections.first).entries

        #expect(entries.map(\.value.string) == ["x", "y"])
    }

    @Test func windowsLinesAndByteOrderMarkAreAccepted() throws {
        let (sections, problems) = read("\u{FEFF}[C]\r\nA=x\\\r\ny\r\n")

        #expect(problems.isEmpty)
        #expect(try #require(sections.first).entries.map(\.value.string) == ["x y"])
    }

    @Test func valueMayHoldEqualsSignsAndCommentSigns() throws {
        let entries = try #require(read("[C]\nA=b=c # no comment\nB=\n").sections.first).entries

        #expect(entries.map(\.value.string) == ["b=c # no comment", ""])
        #expect(entries[1].value.position.description == "f:3:3")
    }

    @Test(arguments: [
        ("A=1\n", "f:1:1: error: 'A' stands outside of any section"),
        ("[C]\nno equals\n", "f:2:1: error: missing '=' in 'no equals'"),
        ("[C]\n =1\n", "f:2:2: error: missing key before '='"),
        ("[C\n", "f:1:3: error: missing ']' at the end of the section header"),
        ("[\n", "f:1:2: error: missing ']' at the end of the section header"),
        ("[ ]\n", "f:1:1: error: missing name in the section header"),
        ("[C] # x\n", "f:1:8: error: missing ']' at the end of the section header"),
        ("[C]]\n", "f:1:3: error: unexpected ']' in a section name"),
        ("[C]\nA=\u{0}\n", "f:2:3: error: NUL byte in the line"),
    ])
    func malformedLineIsReportedWithItsPosition(text: String, problem: String) {
        #expect(read(text).problems == [problem])
    }

    @Test func malformedSectionHidesOnlyItsKeys() {
        let (sections, problems) = read("[C\nA=1\n[D]\nB=2\n")

        #expect(problems.count == 1)
        #expect(sections.map(\.name.string) == ["D"])
    }

    @Test func invalidUTF8IsReportedAndLaterLinesAreRead() {
        let bytes = Array("[C]\nA=ü".utf8) + [0xFF, 0x0A] + Array("B=2\n".utf8)

        let (sections, problems) = read(bytes)

        #expect(problems == ["f:2:4: error: line is not valid UTF-8"])
        #expect(sections.first?.entries.map(\.key.string) == ["B"])
    }

    @Test func limitsAreEnforced() {
        let line = String(repeating: "x", count: IniLimits.lineBytes)
        let settings = String(repeating: "A=1\n", count: IniLimits.items + 1)

        #expect(read(Array(repeating: 10, count: IniLimits.fileBytes + 1)).problems.count == 1)
        #expect(
            read("[C]\nA=\(line)\nB=1\n").problems
                == ["f:2:1: error: line is longer than \(IniLimits.lineBytes) bytes"])
        #expect(
            read("[C]\nA=\(line.dropLast(10))\\\n\(line)\n").problems
                == ["f:2:1: error: continued line is longer than \(IniLimits.lineBytes) characters"])
        let place = "f:\(IniLimits.items + 2):1"
        #expect(
            read("[C]\n" + settings).problems
                == ["\(place): error: more than \(IniLimits.items) settings, the rest of the file is not read"])
    }

    @Test func diagnosticsAreSafeToPrint() {
        let (_, problems) = read("[C]\n\u{1B}[31m\u{202E}\n")

        #expect(problems == [#"f:2:1: error: missing '=' in '\u{1B}[31m\u{202E}'"#])
    }

    @Test func numberOfProblemsIsLimited() {
        let text = "[C]\n" + String(repeating: "x\n", count: 5000)

        let problems = read(text).problems

        #expect(problems.count == 1001)
        #expect(problems.last?.contains("more than 1000 problems") == true)
    }
}
