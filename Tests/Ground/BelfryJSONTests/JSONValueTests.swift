// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfryJSON
import TestSupport
import Testing

struct JSONValueTests {
    @Test(
        arguments: [
            ("null", JSONValue.null), (" true ", true), ("false", false), ("0", 0), ("-1", -1), ("\t1\r\n", 1),
            ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
            ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("1e3", .double(1000)),
            ("1.5E-2", .double(0.015)),
            ("-0", .double(-0.0)), ("-0.0", .double(-0.0)), ("1E+2", .double(100)),
            ("\"\"", ""), ("\"a\"", "a"), ("\"\u{7F}é𝄞\"", "\u{7F}é𝄞"),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\uD834\uDD1E""#, "Aé𝄞"),
            (#""a\u0000b""#, "a\0b"), ("[]", []), ("[ ]", []), ("[1,[2]]", [1, [2]]), ("{}", [:]), ("{ }", [:]),
            (#"{"a":{"b":[null]}}"#, ["a": ["b": [.null]]]),
        ] as [(String, JSONValue)])
    func validTextIsRead(text: String, value: JSONValue) throws {
        #expect(try JSONValue(json: text.utf8) == value)
    }

    @Test(arguments: [
        ("", 0), (" ", 1), ("nul", 3), ("nulL", 3), ("tru e", 3), ("01", 1), ("-", 1), ("+1", 0), ("1.", 2),
        (".5", 0),
        ("1e", 2), ("1e+", 3), ("0x1", 1), ("1 2", 2), ("NaN", 0), ("Infinity", 0), ("1e999", 0), ("[", 1),
        ("[1", 2),
        ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("{", 1), ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":1,}", 7),
        ("{a:1}", 1),
        ("{1:1}", 1), ("{\"a\" 1}", 5), ("\"", 1), ("\"\n\"", 1), ("\"\\", 2), ("\"\\x\"", 2), ("\"\\u12\"", 5),
        ("\"\\u12g4\"", 5), (#""\uD834""#, 7), (#""\uDD1E""#, 7), (#""\uD834A""#, 7), (#""\uD834\u0041""#, 13),
        ("'a'", 0), ("[1]]", 3), ("{}//", 2), ("\u{FEFF}1", 0), ("\0", 0), ("1\0", 1),
    ])
    func invalidTextIsRefusedAtItsByte(text: String, offset: Int) {
        #expect { try JSONValue(json: text.utf8) } throws: { ($0 as? JSONParseError)?.offset == offset }
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        ] as [[UInt8]])
    func invalidUTF8IsRefused(bytes: [UInt8]) {
        for prefix in ["", "\\n"] {
            let text = Array("\"\(prefix)".utf8) + bytes + Array("\"".utf8)
            #expect(throws: JSONParseError(reason: .invalidUTF8, offset: 1)) { try JSONValue(json: text) }
        }
    }

    /// Also in objects that are read later, and whether the name is written with escapes or without.
    @Test(
        arguments: [
            (#"{"a":1,"a":1}"#, 7), (#"{"a":1,"\u0061":2}"#, 7), (#"{"é":1,"\u00e9":2}"#, 8), (#"{"":1, "":2}"#, 7),
            (#"[{"x":{"a":1,"b":2,"a":3}}]"#, 19), (#"{"\u0061":1,"a":2}"#, 12), (#"{"é":1,"b":2,"b":3}"#, 14),
        ])
    func aNameThatComesTwiceIsRefused(text: String, offset: Int) {
        #expect(throws: JSONParseError(reason: .duplicateName, offset: offset)) { try JSONValue(json: text.utf8) }
    }

    @Test func aNameThatComesTwiceIsFoundAmongMany() throws {
        let members = (0..<100_000).map { #""\#($0)":0"# }.joined(separator: ",")

        #expect(try JSONValue(json: "{\(members)}".utf8).objectValue?.count == 100_000)
        for name in ["0", "7", "8", "99999"] {
            #expect { try JSONValue(json: #"{\#(members),"\#(name)":0}"#.utf8) } throws: {
                ($0 as? JSONParseError)?.reason == .duplicateName
            }
        }
    }

    /// The parser compares many bytes at a time.
    @Test(arguments: ["\"", "\\", "\n", "\u{1F}", "é", "\u{7F}"])
    func specialCharacterIsFoundAtAnyPosition(character: String) throws {
        for before in 0..<40 {
            for after in [0, 1, 15, 16, 40] {
                let text = String(repeating: "a", count: before) + character + String(repeating: "b", count: after)
                let value: JSONValue = ["key": .string(text), text: 1]

                #expect(try JSONValue(json: value.json) == value)
            }
        }
    }

    @Test func nestingEndsAtItsLimit() throws {
        let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }

        _ = try JSONValue(json: deep(64).utf8)

        #expect(throws: JSONParseError(reason: .nestedTooDeeply, offset: 65)) {
            try JSONValue(json: deep(65).utf8)
        }
        #expect(throws: JSONParseError.self) {
            try JSONValue(json: repeatElement(UInt8(ascii: "["), count: 1 << 20))
        }
    }

    @Test(
        arguments: [
            (JSONValue.null, "null"), (["b": 1, "a": [true, 2.5]], #"{"b":1,"a":[true,2.5]}"#),
            (.int(.min), "\(Int64.min)"),
            (.double(.infinity), "null"), (.double(.nan), "null"), (1.0, "1.0"), (.double(1e300), "1e+300"),
            ("\u{0}\u{1}\u{1F}\"\\/\n\r\té", #""\u0000\u0001\u001f\"\\/\n\r\té""#),
        ] as [(JSONValue, String)])
    func valueIsWritten(value: JSONValue, text: String) {
        #expect(value.description == text)
        #expect(!value.json.contains(0))
    }

    @Test(
        arguments: [
            (#"{ "a" : [ 1 , { "b c" : "d \" e" } ] }"#, #"{"a":[1,{"b c":"d \" e"}]}"#),
            ("{\"a\":\t{\n}\r}", #"{"a":{}}"#), (#"{"a":1.50e2,"b":"\u0041"}"#, #"{"a":1.50e2,"b":"\u0041"}"#),
        ])
    func parsedObjectIsWrittenWithoutWhiteSpace(text: String, written: String) throws {
        #expect(try JSONValue(json: text.utf8).description == written)
    }

    @Test func namesAndStringsAreComparedAsBytes() throws {
        let object = try #require(JSONValue(json: #"{"é":1,"e\u0301":2}"#.utf8).objectValue)

        #expect(object.count == 2)
        #expect(object["\u{E9}"] == 1 && object["e\u{301}"] == 2)
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    }

    /// With normalisation this would take minutes.
    @Test func longRunsOfCombiningMarksTakeLinearTime() throws {
        let marks = String(repeating: "\u{301}\u{323}", count: 1 << 18)
        let text = JSONValue.object([marks: .string(marks), marks + "a": 1]).json

        let object = try #require(JSONValue(json: text).objectValue)

        #expect(object[marks] == .string(marks) && object.count == 2)
        #expect(object == JSONObject([(marks + "a", 1), (marks, .string(marks))]))
    }

    @Test func textIsCutAtAScalar() {
        #expect("ab".cut(toBytes: 2) == "ab" && "abc".cut(toBytes: 2) == "ab…" && "aé".cut(toBytes: 2) == "a…")
        #expect("𝄞".cut(toBytes: 3) == "…" && "e\u{301}x".cut(toBytes: 1) == "e…")
    }

    @Test func writtenValuesReadTheSame() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<500 {
            let value = random.value(depth: 4)

            #expect(try JSONValue(json: value.json) == value)
        }
    }

    @Test func objectKeepsItsOrder() {
        var object = JSONObject((0..<40).map { ("k\($0)", .int($0)) })

        object["k3"] = nil
        object["k7"] = "seven"
        object["new"] = true

        #expect(object.count == 40)
        #expect(object.keys.prefix(4) == ["k0", "k1", "k2", "k4"])
        #expect(object["k7"] == "seven" && object["k39"] == 39 && object["new"] == true && object["k3"] == nil)
        #expect(object.keys.last == "new")
    }

    @Test func objectsAreEqualInAnyOrder() {
        #expect((["a": 1, "b": 2] as JSONObject) == ["b": 2, "a": 1])
        #expect((["a": 1] as JSONObject) != ["a": 1, "b": .null])
    }
}
