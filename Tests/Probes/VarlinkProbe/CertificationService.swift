// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Varlink

/// Serves `org.varlink.certification`; refuses calls out of order and calls with wrong parameters.
final class CertificationService {
    private let server: VarlinkServer
    private var next: [String: Int] = [:]

    init(on loop: MainEventLoop) throws {
        let info = VarlinkServiceInfo(
            vendor: "Belfry", product: "VarlinkProbe", version: "1", url: "https://example.org")
        server = try VarlinkServer(info, on: loop) { say("problem: \($0)") }
        var methods: [String: VarlinkInterface.Handler] = [
            "Start": { [unowned self] request in
                let client = "client-\(next.count)"
                next[client] = 0
                request.reply(["client_id": .string(client)])
            }
        ]
        for (position, step) in Certification.steps.enumerated() {
            methods[step.method] = { [unowned self] in answer($0, position, step) }
        }
        server.add(try VarlinkInterface(Certification.description, methods: methods))
    }

    func listen(on address: String) throws {
        try server.listen(on: address)
        say("listening")
    }

    func close() { server.close() }

    private func answer(_ request: VarlinkRequest, _ position: Int, _ step: Certification.Step) {
        var parameters = request.parameters
        let client = parameters["client_id"]?.stringValue ?? ""
        parameters["client_id"] = nil
        guard let expected = next[client] else { return request.fail("org.varlink.certification.ClientIdError") }
        let isOneway = step.method == "Test11"
        let wantsMore = step.method == "Test10"
        guard expected == position, Self.withoutNulls(.object(parameters)) == .object(step.input),
            request.isOneway == isOneway, request.wantsMore == wantsMore
        else {
            say("\(step.method): unexpected \(JSONValue.object(request.parameters))")
            next[client] = nil
            return request.fail(
                "org.varlink.certification.CertificationError",
                ["wants": .object(step.input), "got": .object(parameters)])
        }
        next[client] = position + 1
        guard wantsMore else { return request.reply(step.output) }
        for (index, text) in Certification.replies.enumerated() {
            request.reply(["string": text], continues: index + 1 < Certification.replies.count)
        }
    }

    /// Absent and `null` are equal for fields of a structure, but not for elements of an array.
    private static func withoutNulls(_ value: JSONValue) -> JSONValue {
        guard case .object(let object) = value else { return value }
        return .object(JSONObject(object.filter { !$0.value.isNull }.map { ($0.key, withoutNulls($0.value)) }))
    }
}

/// Parameters and replies of the calls of `org.varlink.certification`.
nonisolated enum Certification {
    static let name = "org.varlink.certification"

    /// A call: its required parameters without `client_id`, and its reply.
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
