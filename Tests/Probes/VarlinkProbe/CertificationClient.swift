// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

/// Calls all methods of `org.varlink.certification`; each result is the parameter of the next call.
final class CertificationClient {
    private let client: VarlinkClient

    init(_ client: VarlinkClient) { self.client = client }

    /// Returns an exit status.
    func run() async -> Int32 {
        do throws(VarlinkError) {
            return try await certify() ? 0 : 1
        } catch {
            say("\(error)")
            return 1
        }
    }

    private func certify() async throws(VarlinkError) -> Bool {
        let name = Certification.name
        let id = try await client.call("\(name).Start")["client_id"] ?? .null
        var result: JSONObject = [:]
        for step in Certification.steps {
            var parameters: JSONObject = ["client_id": id]
            for (key, value) in result where key != "client_id" { parameters[key] = value }
            switch step.method {
            case "Test10":
                let replies = try await replies(to: "\(name).Test10", parameters)
                result = ["last_more_replies": .array(replies.map { $0["string"] ?? .null })]
            case "Test11":
                client.oneway("\(name).Test11", parameters)
                result = [:]
            default: result = try await client.call("\(name).\(step.method)", parameters)
            }
            say("\(step.method): \(JSONValue.object(result))")
        }
        return result["all_ok"] == true
    }

    private func replies(to method: String, _ parameters: JSONObject) async throws(VarlinkError) -> [JSONObject] {
        var replies: [JSONObject] = []
        let end: VarlinkError? = await withCheckedContinuation { continuation in
            client.more(method, parameters) {
                switch $0 {
                case .success(let reply):
                    replies.append(reply.parameters)
                    if !reply.continues { continuation.resume(returning: nil) }
                case .failure(let error): continuation.resume(returning: error)
                }
            }
        }
        if let end { throw end }
        return replies
    }
}
