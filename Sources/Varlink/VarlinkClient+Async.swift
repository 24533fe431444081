// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

extension VarlinkClient {
    /// Calls a method and waits for its reply.
    ///
    /// Await it from a `MainThreadExecutor` task to stay on one thread. Cancelling the task does not call the method
    /// off: close the client for that.
    ///
    /// - Throws: the service's error, or why there was no answer.
    public func call(_ method: String, _ parameters: JSONObject = [:]) async throws(VarlinkError) -> JSONObject {
        try await withCheckedContinuation { continuation in
            call(method, parameters) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Calls a method that may answer many times. The call is made at once, and replies are kept until they are asked
    /// for; when many wait, the rest stays with the service.
    public func more(_ method: String, _ parameters: JSONObject = [:]) -> VarlinkReplies {
        VarlinkReplies(method, parameters, of: self)
    }
}
