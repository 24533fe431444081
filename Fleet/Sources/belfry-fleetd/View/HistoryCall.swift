// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryJSON
import Varlink

/// A call of `History`: asks the hosts, a few at a time, as fast as the client reads.
final class HistoryCall {
    /// How many hosts are asked at a time.
    static let hostsAtATime = 16

    /// What has come from a host.
    private struct Progress {
        /// All after this number are wanted.
        var last: Int64
        /// Whether the numbers must follow one another from here on. The first ones may be gone.
        var isBegun: Bool
        var missing: ClosedRange<Int64>?
        var count = 0
    }

    let request: VarlinkRequest
    private let commands: CommandSender
    private let limit: ReplyLimit
    private let timeout: Duration
    private let after: Int64?
    private let status: (String) -> HostStatus?
    private var rest: ArraySlice<String>
    private var asked: [String: String] = [:]
    private var onEnd: (() -> Void)?

    /// - Parameters:
    ///   - hosts: at least one.
    ///   - status: what is known of a host.
    init(
        _ request: VarlinkRequest, _ hosts: [String], after: Int64?, within timeout: Duration,
        _ commands: CommandSender, _ limit: ReplyLimit, status: @escaping (String) -> HostStatus?
    ) {
        self.request = request
        self.commands = commands
        self.limit = limit
        self.timeout = timeout
        self.after = after
        self.status = status
        rest = hosts[...]
    }

    /// Begins. The call lives as long as its client waits for it.
    ///
    /// - Parameter onEnd: called once when it is over.
    func start(onEnd: @escaping () -> Void) {
        self.onEnd = onEnd
        request.onCancel = { self.end() }
        request.onDrained = { [weak self] in
            self?.proceed()
            return nil
        }
        proceed()
    }

    private func proceed() {
        while asked.count < Self.hostsAtATime, !rest.isEmpty, request.isActive {
            guard request.queuedBytes < ReplyLimit.bytesReady else { return }
            let host = rest.removeFirst()
            if status(host)?.state?.isConnected ?? false {
                ask(host, Progress(last: after ?? 0, isBegun: after != nil))
            } else {
                tell(host, PendingCommands.Ending.away.word, nil)
            }
        }
    }

    private func ask(_ host: String, _ begun: Progress) {
        var progress = begun
        progress.count = 0
        asked[host] = commands.send(.notifications(bootID: nil, after: progress.last), to: [host], within: timeout) {
            [weak self] _, answer in
            switch answer {
            case .notification(let notification): self?.receive(notification, of: host, &progress)
            case .ending(let ending): self?.receive(ending, of: host, progress)
            }
        }
    }

    private func receive(_ notification: JSONObject, of host: String, _ progress: inout Progress) {
        // A host that was asked again sends some of them twice.
        guard let number = notification["sequence"]?.intValue, number > progress.last else { return }
        if progress.isBegun, number - 1 > progress.last, progress.missing == nil {
            progress.missing = progress.last + 1...number - 1
        }
        (progress.last, progress.isBegun) = (number, true)
        progress.count += 1
        request.reply(["host": .string(host), "notification": .object(notification)], continues: true)
        if !limit.admits(request) { end() }
    }

    private func receive(_ ending: PendingCommands.Ending, of host: String, _ progress: Progress) {
        // A host sends only so many at a time.
        if ending.isDone, progress.count > 0, let newest = status(host)?.sequence, newest > progress.last {
            return ask(host, progress)
        }
        asked[host] = nil
        if ending.isDone, let missing = progress.missing {
            tell(host, "failed", "notifications \(missing.lowerBound) to \(missing.upperBound) are missing")
        } else {
            tell(host, ending.word, ending.reason)
        }
        proceed()
    }

    private func tell(_ host: String, _ outcome: String, _ reason: String?) {
        var reply: JSONObject = ["host": .string(host), "outcome": .string(outcome)]
        reply["reason"] = reason.map { .string($0) }
        let isLast = asked.isEmpty && rest.isEmpty
        request.reply(reply, continues: !isLast)
        if isLast { end() }
    }

    private func end() {
        for id in asked.values { commands.withdraw(id) }
        asked = [:]
        rest = []
        onEnd?()
        onEnd = nil
    }
}
