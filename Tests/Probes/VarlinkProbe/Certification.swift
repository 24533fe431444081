// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

/// What the calls of `org.varlink.certification` take and answer.
nonisolated enum Certification {
    static let name = "org.varlink.certification"

    /// A call: the parameters it must have, without `client_id`, and what answers it.
    struct Step {
        let method: String
        let input: JSONObject
        let output: JSONObject
    }

    static let steps: [Step] = [
        Step(method: "Test01", input: [:], output: ["bool": true]),
        Step(method: "Test02", input: ["bool": true], output: ["int": 1]),
        Step(method: "Test03", input: ["int": 1], output: ["float": 1.0]),
        Step(method: "Test04", input: ["float": 1.0], output: ["string": "ping"]),
        Step(method: "Test05", input: ["string": "ping"], output: scalars),
        Step(method: "Test06", input: scalars, output: ["struct": .object(scalars)]),
        Step(method: "Test07", input: ["struct": .object(scalars)], output: ["map": ["foo": "Foo", "bar": "Bar"]]),
        Step(
            method: "Test08", input: ["map": ["foo": "Foo", "bar": "Bar"]],
            output: ["set": ["one": [:], "two": [:], "three": [:]]]),
        Step(
            method: "Test09", input: ["set": ["one": [:], "two": [:], "three": [:]]],
            output: ["mytype": .object(everything)]),
        Step(method: "Test10", input: ["mytype": .object(everything)], output: [:]),
        Step(method: "Test11", input: ["last_more_replies": .array(replies)], output: [:]),
        Step(method: "End", input: [:], output: ["all_ok": true]),
    ]

    static let replies: [JSONValue] = (1...10).map { .string("Reply number \($0)") }

    private static let scalars: JSONObject = [
        "bool": false, "int": 2, "float": .double(.pi), "string": "a lot of string",
    ]

    private static let everything: JSONObject = [
        "object": ["method": "org.varlink.certification.Test09", "parameters": ["map": ["foo": "Foo", "bar": "Bar"]]],
        "enum": "two", "struct": ["first": 1, "second": "2"], "array": ["one", "two", "three"],
        "dictionary": ["foo": "Foo", "bar": "Bar"], "stringset": ["one": [:], "two": [:], "three": [:]],
        "interface": [
            "foo": [.null, ["foo": "foo", "bar": "bar"], .null, ["one": "foo", "two": "bar"]],
            "anon": ["foo": true, "bar": false],
        ],
    ]

    static let description = """
        # Calls that build on each other, for trying implementations against each other.
        interface org.varlink.certification

        type Interface (foo: ?[]?[string](foo, bar, baz), anon: (foo: bool, bar: bool))

        type MyType (
          object: object,
          enum: (one, two, three),
          struct: (first: int, second: string),
          array: []string,
          dictionary: [string]string,
          stringset: [string](),
          nullable: ?string,
          nullable_array_struct: ?[](first: int, second: string),
          interface: Interface
        )

        method Start() -> (client_id: string)
        method Test01(client_id: string) -> (bool: bool)
        method Test02(client_id: string, bool: bool) -> (int: int)
        method Test03(client_id: string, int: int) -> (float: float)
        method Test04(client_id: string, float: float) -> (string: string)
        method Test05(client_id: string, string: string) -> (bool: bool, int: int, float: float, string: string)
        method Test06(client_id: string, bool: bool, int: int, float: float, string: string)
          -> (struct: (bool: bool, int: int, float: float, string: string))
        method Test07(client_id: string, struct: (bool: bool, int: int, float: float, string: string))
          -> (map: [string]string)
        method Test08(client_id: string, map: [string]string) -> (set: [string]())
        method Test09(client_id: string, set: [string]()) -> (mytype: MyType)
        # Answers ten times.
        method Test10(client_id: string, mytype: MyType) -> (string: string)
        # To be called with 'oneway'.
        method Test11(client_id: string, last_more_replies: []string) -> ()
        method End(client_id: string) -> (all_ok: bool)

        error ClientIdError ()
        error CertificationError (wants: object, got: object)

        """
}
