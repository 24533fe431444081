// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import TestSupport
import Testing
import Varlink

struct VarlinkInterfaceDescriptionTests {
    private let text = """
        # An interface
        #   with two lines.
        interface org.example.ftl2

        # Detached comments belong to nobody.

        # Where the drive is.
        type State (
          # No fuel is used.
          idle, spooling,
          busy
        )
        type Everything (
          flag: bool, whole: int, half: float, text: string, raw: object, what: any,
          one: (this, that), inner: (first: int, second: ?string), list: []string, map: [string]State,
          set: [string](), maybe: ?[](first: int), deep: [][string][]?int
        )

        # Calls.
        method Monitor() -> (state: State) # trailing
        method Jump(
          # How far.
          distance: int) -> ()

        # Fails.
        error NotEnough (missing: int)
        error Nothing ()
        """

    @Test func descriptionIsParsed() throws {
        let description = try VarlinkInterfaceDescription(text)

        #expect(description.name == "org.example.ftl2")
        #expect(Set(description.methods.keys) == ["Monitor", "Jump"])
        #expect(description.methods["Jump"]?.map(\.type) == [.int])
        #expect(description.types["State"] == .enumeration(["idle", "spooling", "busy"]))
        guard case .structure(let fields) = description.types["Everything"] else {
            Issue.record("no structure")
            return
        }
        #expect(fields.map(\.name).count == 13)
        #expect(fields[10].type == .map(.structure([])))
        #expect(fields[12].type == .array(.map(.array(.nullable(.int)))))
    }

    @Test(arguments: [
        ("", 1, 1), ("interface", 1, 10), ("interface a\ntype A ()", 1, 11), ("interface 1.a\ntype A ()", 1, 11),
        ("interface a.-b\ntype A ()", 1, 11), ("interface a.b", 1, 14), ("interface a.b type A ()", 1, 15),
        ("interface a.b\ntype a ()", 2, 6), ("interface a.b\ntypeA ()", 2, 6), ("interface a.b\nwhat A ()", 2, 5),
        ("interface a.b\ntype A (a: int, b)", 2, 17), ("interface a.b\ntype A (a, b: int)", 2, 12),
        ("interface a.b\ntype A (a_: int)", 2, 9), ("interface a.b\ntype A (a__b: int)", 2, 9),
        ("interface a.b\ntype A (_a: int)", 2, 9), ("interface a.b\ntype A (a: integer)", 2, 12),
        ("interface a.b\ntype A (a: ??int)", 2, 13), ("interface a.b\ntype A (a: ? ?int)", 2, 14),
        ("interface a.b\ntype A (a: B)", 2, 12),
        ("interface a.b\ntype A (a: int, a: int)", 2, 17), ("interface a.b\ntype A (a: int,)", 2, 16),
        ("interface a.b\ntype A ()\ntype A ()", 3, 1), ("interface a.b\nmethod A() ()", 2, 12),
        ("interface a.b\nmethod A(a) -> ()", 2, 9), ("interface a.b\nerror A", 2, 8),
        ("interface a.b\ntype A () type B ()", 2, 11), ("interface a.b\nmethod A(a: [int]int) -> ()", 2, 13),
    ])
    func invalidTextIsRefusedAtItsPosition(text: String, line: Int, column: Int) {
        #expect { try VarlinkInterfaceDescription(text) } throws: {
            guard let error = $0 as? VarlinkDescriptionError else { return false }
            #expect([error.line, error.column] == [line, column], "\(text): \(error)")
            return true
        }
    }

    @Test func nestingEndsAtItsLimit() {
        let open = String(repeating: "(a: ", count: 100)

        #expect(throws: VarlinkDescriptionError.self) {
            try VarlinkInterfaceDescription("interface a.b\ntype A \(open)")
        }
        #expect(throws: VarlinkDescriptionError.self) {
            try VarlinkInterfaceDescription("interface a.b\ntype A (a: \(String(repeating: "[]", count: 100_000))int)")
        }
    }

    @Test func damagedTextDoesNotTrap() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<2000 {
            var bytes = Array(text.utf8)
            for _ in 0..<3 {
                let position = bytes.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[position] = .random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(position..<min(bytes.count, position + 9))
                default: bytes.insert(contentsOf: Array("( ?[]".utf8).shuffled(using: &random), at: position)
                }
            }
            _ = try? VarlinkInterfaceDescription(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test(
        arguments: [
            (["whole": 1.5], "whole"), (["flag": 1], "flag"), (["half": 1], nil), (["what": [1]], nil),
            (["one": "other"], "one"), (["one": "that"], nil), (["inner": ["first": 1]], nil),
            (["inner": ["first": 1, "third": 1]], "inner.third"), (["list": ["a", 1]], "list[1]"),
            (["map": ["a": "idle", "b": "off"]], "map.b"), (["maybe": .null], nil),
            (["maybe": [["first": .null]]], "maybe[0].first"),
            (["text": .null], "text"),
        ] as [(JSONObject, String?)])
    func parametersAreCheckedAgainstTheirTypes(change: JSONObject, mismatch: String?) throws {
        let description = try VarlinkInterfaceDescription(text)
        guard case .structure(let fields) = description.types["Everything"] else { return }
        var parameters: JSONObject = [
            "flag": true, "whole": 1, "half": 0.5, "text": "", "raw": [:], "what": 0, "one": "this",
            "inner": ["first": 1], "list": [], "map": [:], "set": ["a": [:]], "deep": [],
        ]
        for (key, value) in change { parameters[key] = value }

        #expect(description.mismatch(parameters, with: fields) == mismatch)
    }
}
