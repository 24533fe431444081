// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux
internal import CBelfryFleet

/// One request of the FleetLock protocol, on the thread that calls it.
nonisolated struct LeaseRequest: Sendable {
    enum Step: String {
        case lock = "pre-reboot"
        case unlock = "steady-state"

        var verb: String { self == .lock ? "lock" : "unlock" }
    }

    /// The longest answer that is read, and the longest headers.
    private static let answerLimit = 64 << 10
    private static let header = "fleet-lock-protocol: true"

    let step: Step
    let url: String
    let group: String
    let id: String
    let caFile: String?
    let limit: Duration

    /// Sends it, and waits for the answer.
    func send() -> Result<Void, LeaseError> {
        let base = url.utf8.last == UInt8(ascii: "/") ? String(url.dropLast()) : url
        var reason = [CChar](repeating: 0, count: Int(BELFRY_HTTP_REASON))
        var answer = [CChar](repeating: 0, count: Self.answerLimit)
        let (status, size) = "\(base)/v1/\(step.rawValue)".withCString { url in
            body.withCString { body in
                Self.header.withCString { header in
                    withFile { file in
                        answer.withUnsafeMutableBufferPointer { answer in
                            var exchange = belfry_http_exchange(
                                url: url, ca_file: file, header: header, body: body,
                                limit_msec: Int(clamping: limit.components.seconds * 1000),
                                answer: answer.baseAddress, capacity: answer.count, size: 0)
                            let status = belfry_http_post(&exchange, &reason)
                            return (status, exchange.size)
                        }
                    }
                }
            }
        }
        if status == 200 { return .success(()) }
        guard status >= 0 else { return .failure(error(mayTryAgain: true, Self.text(reason))) }
        return .failure(refusal(status, answer[..<size].map { UInt8(bitPattern: $0) }))
    }

    private func withFile<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        caFile.map { $0.withCString(body) } ?? body(nil)
    }

    private var body: String {
        JSONValue.object(["client_params": .object(["id": .string(id), "group": .string(group)])]).description
    }

    /// What an answer other than 200 means. The body says more than the status: servers answer to a lock that is held with 409
    /// and with 500.
    private func refusal(_ status: Int, _ body: [UInt8]) -> LeaseError {
        let answer = try? JSONValue(json: body)
        let kind = answer?["kind"]?.stringValue
        let said = [kind, answer?["value"]?.stringValue].compactMap { $0 }.joined(separator: ": ")
        let mayTryAgain = kind == "failed_lock" || status >= 500 || [408, 409, 423, 425, 429].contains(status)
        return error(mayTryAgain: mayTryAgain, "the server answers \(status)" + (said.isEmpty ? "" : ": \(said)"))
    }

    private func error(mayTryAgain: Bool, _ reason: String) -> LeaseError {
        let (group, url) = (SystemError.escape(group), SystemError.escape(Self.withoutPassword(url)))
        let reason = SystemError.escape(reason.cut(toBytes: 300))
        return LeaseError(
            mayTryAgain: mayTryAgain, reason: "unable to \(step.verb) group '\(group)' at '\(url)': \(reason)")
    }

    /// The URL without a user and password, which may not be logged.
    static func withoutPassword(_ url: String) -> String {
        let parts = url.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2, let at = parts[2].lastIndex(of: "@") else { return url }
        return (parts[..<2] + [parts[2][at...].dropFirst()] + parts[3...]).joined(separator: "/")
    }

    private static func text(_ reason: [CChar]) -> String {
        String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
