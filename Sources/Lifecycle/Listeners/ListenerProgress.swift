// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Where an answer that takes long says that it gets on.
///
/// An answer may take its whole deadline when the time for all allows it; otherwise it has a share of that time. One
/// that reports progress may go beyond its share, up to the deadline it declared: the transition then lasts longer, and
/// the service manager is asked for the time. When reports cease, so does the patience.
public struct ListenerProgress {
    private let call: ListenerCall

    init(_ call: ListenerCall) { self.call = call }

    /// Whether anybody wants to know what comes of the answer; nobody does of a post that is not waited for.
    package var isAwaited: Bool { call.isAwaited }

    /// Says that the work gets on.
    ///
    /// - Parameters:
    ///   - window: within which time the next report, or the end, will come.
    ///   - text: what has been done, in a few words for `systemctl status`.
    public func report(nextWithin window: Duration = .seconds(5), _ text: String? = nil) {
        call.progress(nextWithin: window, text)
    }
}
