// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Varlink

/// Answers `org.varlink.certification`, and fails every call that is not the next one or not as it must be.
final class CertificationService {
    private let server: VarlinkServer
    private var next: [String: Int] = [:]

    init(on loop: MainEventLoop) throws {
        let info = VarlinkServiceInfo(
            vendor: "Belfry", product: "VarlinkProbe", version: "1", url: "https://example.org")
        server = try VarlinkServer(info, on: loop)
        server.onProblem = { say("problem: \($0)") }
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

    /// Absent and `null` are the same for the fields of a structure, though not for the elements of an array.
    private static func withoutNulls(_ value: JSONValue) -> JSONValue {
        guard case .object(let object) = value else { return value }
        return .object(JSONObject(object.filter { !$0.value.isNull }.map { ($0.key, withoutNulls($0.value)) }))
    }
}
