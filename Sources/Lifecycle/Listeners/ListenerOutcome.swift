// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How a listener's answer ended.
public nonisolated enum ListenerOutcome: Sendable, Equatable {
    /// It finished.
    case completed
    /// It finished, and says what it found.
    case fetched(FetchResult)
    /// It was asked whether it would do something, and did it.
    case handled
    /// It was asked whether it would do something, and leaves it to others.
    case declined
    /// It refused, for this reason.
    case refused(String)
    /// It threw, with this description.
    case failed(String)
    /// It was still working at its deadline.
    case overran
    /// It finished after its deadline: the thread was blocked, so that nobody could go on without it.
    case late

    /// How an answer ended that threw this.
    init(_ error: any Error) {
        self = (error as? LifecycleRefusal).map { .refused($0.reason) } ?? .failed(String(describing: error))
    }

    /// The word that stands for it in the journal and on the socket.
    public var word: String {
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

    /// The same, or `late` where it is that of an answer that finished after its deadline.
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

    /// Whether the listener did not do what it should.
    public var isProblem: Bool {
        switch self {
        case .refused, .failed, .overran, .late, .fetched(.failed): true
        case .completed, .fetched, .handled, .declined: false
        }
    }
}

/// What became of a request for new data, as in UIKit's background fetch.
public nonisolated enum FetchResult: String, Sendable, CaseIterable {
    /// There is something new.
    case newData
    /// There is nothing new.
    case noData
    /// It could not be found out.
    case failed
}
