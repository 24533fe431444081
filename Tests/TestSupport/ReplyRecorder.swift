// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// The replies to one call with `more`.
@MainActor
package final class ReplyRecorder {
    /// The connection of the call.
    package let client: VarlinkClient
    /// The parameters of the replies.
    package private(set) var replies: [JSONObject] = []
    /// Whether there are no more replies.
    package private(set) var isOver = false
    private var failure: VarlinkError?

    /// Calls a method.
    package init(_ client: VarlinkClient, _ method: String, _ parameters: JSONObject) {
        self.client = client
        client.more(method, parameters) { [weak self] reply in self?.record(reply) }
    }

    /// The name of the error that ended the call.
    package var error: String? { if case .failed(let name, _) = failure { name } else { nil } }

    /// The last part of that name, or what else ended the call.
    package var errorWord: String? {
        error.map { String($0.split(separator: ".").last ?? "") } ?? failure.map { "\($0)" }
    }

    /// The parameters of that error.
    package var errorParameters: JSONObject? {
        if case .failed(_, let parameters) = failure { parameters } else { nil }
    }

    /// Disconnects, as a killed program does.
    package func vanish() { client.close() }

    private func record(_ reply: Result<VarlinkReply, VarlinkError>) {
        switch reply {
        case .success(let reply):
            replies.append(reply.parameters)
            isOver = !reply.continues
        case .failure(let error):
            failure = error
            isOver = true
        }
    }
}
