// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

/// The replies to one call with `more`.
final class ReplyRecorder {
    let client: VarlinkClient
    private(set) var replies: [JSONObject] = []
    /// The name of the error that ended the call.
    private(set) var error: String?
    /// The parameters of that error.
    private(set) var errorParameters: JSONObject?
    /// Whether there are no more replies.
    private(set) var isOver = false

    init(_ client: VarlinkClient, _ method: String, _ parameters: JSONObject) {
        self.client = client
        client.more(method, parameters) { [weak self] reply in self?.record(reply) }
    }

    /// Disconnects, as a killed program does.
    func vanish() { client.close() }

    private func record(_ reply: Result<VarlinkReply, VarlinkError>) {
        switch reply {
        case .success(let reply):
            replies.append(reply.parameters)
            isOver = !reply.continues
        case .failure(.failed(let name, let parameters)):
            error = name
            errorParameters = parameters
            isOver = true
        case .failure: isOver = true
        }
    }
}
