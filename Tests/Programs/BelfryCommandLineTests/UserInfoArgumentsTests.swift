// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfryCommandLine
import BelfryConfiguration
import Testing
import Varlink

struct UserInfoArgumentsTests {
    @Test(
        arguments: [
            ("a=1", .int(1)), ("a=-1.5", .double(-1.5)), ("a=1e3", .double(1000)), ("a=true", .bool(true)),
            ("a=null", .null), ("a=007", .string("007")), ("a=", .string("")), ("a=b=c", .string("b=c")),
            ("a=[1]", .string("[1]")), ("a=\"x\"", .string("\"x\"")),
            ("a=12345678901234567890", .string("12345678901234567890")),
            ("a=1e999", .string("1e999")), ("a= 1", .int(1)), ("a:=[1,{\"b\":null}]", [1, ["b": .null]]),
            ("a:=\"1\"", .string("1")), ("a=läuten", .string("läuten")),
        ] as [(String, JSONValue)])
    func valuesHaveTheTypeOfTheirText(_ argument: String, _ value: JSONValue) throws {
        #expect(try UserInfoArguments.parse([argument]) == ["a": value])
    }

    @Test(arguments: [
        (["word"], "expected key=value or key:=JSON, not 'word'"), (["=1"], "missing key in '=1'"),
        ([":=1"], "missing key in ':=1'"), (["a=1", "a=2"], "key 'a' is given twice"),
        (["a:=[1"], "value of 'a' is not JSON: unexpected end at byte 2"),
    ])
    func invalidUserInfoIsReported(_ arguments: [String], _ message: String) {
        let problem = #expect(throws: ValueProblem.self) { try UserInfoArguments.parse(arguments) }
        #expect(problem?.message == message)
    }

    @Test func keysKeepTheirOrder() throws {
        #expect(try UserInfoArguments.parse(["z=1", "a=2", "m=3"]).keys == ["z", "a", "m"])
    }
}
