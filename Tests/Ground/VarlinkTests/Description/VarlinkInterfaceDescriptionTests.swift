// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Testing
@testable import Varlink

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
        ("", "expected 'interface' before ''"), ("interface", "expected more before ''"),
        ("interface a.b\nwhat A ()", "expected a type, method or error instead of 'what A' before ''"),
        ("interface a.b\ntype A (a b)", "expected ',' before 'b )'"),
        ("interface a.b\ntype A (a: ", "expected more before ''"),
        ("interface a.b\nmethod A() ()", "expected '->' before '( )'"),
        ("interface a.b\nmethod A(a) -> ()", "expected a type, method or error instead of 'method A' before '-> ( )'"),
    ])
    func otherTextIsRefused(text: String, reason: String) {
        #expect {
            try VarlinkInterfaceDescription(text)
        } throws: {
            "\($0)" == reason
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
