// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// How a listener's answer ended.
public nonisolated enum ListenerOutcome: Sendable, Equatable {
    /// It finished.
    case completed
    /// It finished with a fetch result.
    case fetched(FetchResult)
    /// It did what was asked for: opened the URL, performed the action.
    case handled
    /// It did not do what was asked for, and the next listener is asked.
    case declined
    /// It refused, for this reason.
    case refused(String)
    /// It threw, with this description.
    case failed(String)
    /// It was still running at its deadline.
    case overran
    /// It finished after its deadline: it had blocked the thread, so that no timer could fire.
    case late

    /// A post that the listener does not get, because too many wait for its answers.
    package static let tooManyPosts = Self.failed("\(ListenerEntry.pendingPostsMax) posts wait for its answers")

    /// Whether it is this one. Errors have texts of any length, so bytes are compared.
    package var isTooManyPosts: Bool { reason?.hasSameBytes(as: Self.tooManyPosts.reason ?? "") ?? false }

    /// A call within calls of the same listener or observer, that posts what leads to its next call.
    static let endlessPosts = Self.failed(
        "it posts what leads to its next call, \(ListenerEntry.nestedCallsMax) calls are within each other")

    /// The outcome of an answer that threw this error.
    init(_ error: any Error) {
        self = (error as? LifecycleRefusal).map { .refused($0.reason) } ?? .failed(String(describing: error))
    }

    /// Its name in the journal and on the socket, without the reason.
    public var kind: String {
        switch self {
        case .completed: "completed"
        case .fetched(let result): result.rawValue
        case .handled: "handled"
        case .declined: "declined"
        case .refused: "refused"
        case .failed: "failed"
        case .overran: "overran"
        case .late: "late"
        }
    }

    /// The same outcome, or `late` if the answer completed after its deadline.
    func judged(_ duration: Duration, deadline: Duration) -> ListenerOutcome {
        self == .completed && duration > deadline ? .late : self
    }

    /// The reason of a refusal or a failure.
    public var reason: String? {
        switch self {
        case .refused(let reason), .failed(let reason): reason
        default: nil
        }
    }

    /// Whether the listener missed its deadline.
    package var isLate: Bool { self == .overran || self == .late }

    /// Whether the listener failed, refused or missed its deadline.
    public var isProblem: Bool {
        switch self {
        case .refused, .failed, .overran, .late, .fetched(.failed): true
        case .completed, .fetched, .handled, .declined: false
        }
    }
}

/// The result of a request for new data, as in UIKit's background fetch.
public nonisolated enum FetchResult: String, Sendable, CaseIterable {
    /// There is new data.
    case newData
    /// There is no new data.
    case noData
    /// The fetch failed.
    case failed
}
