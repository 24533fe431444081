// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import Varlink

/// The clients that call `Watch`.
final class WatchList {
    private final class Watcher {
        let request: VarlinkRequest
        let hosts: HostPattern
        let names: Set<UTF8Text>?
        /// The hosts that it has still to be told of, from `next` on.
        var list: [String] = []
        var next = 0

        init(_ request: VarlinkRequest, _ hosts: HostPattern, _ names: Set<UTF8Text>?) {
            self.request = request
            self.hosts = hosts
            self.names = names
        }
    }

    private let limit: ReplyLimit
    private let status: (String) -> HostStatus?
    private var watchers: [ObjectIdentifier: Watcher] = [:]
    /// Called when there is a first watcher, or none any more.
    var onChange: ((_ isEmpty: Bool) -> Void)?

    /// - Parameter status: what is known of a host.
    init(_ limit: ReplyLimit, status: @escaping (String) -> HostStatus?) {
        self.limit = limit
        self.status = status
    }

    var isEmpty: Bool { watchers.isEmpty }

    /// Adds a client, and tells it of these hosts. Without names it gets all notifications.
    func add(_ request: VarlinkRequest, _ pattern: HostPattern, names: [String]?, hosts: [String]) {
        let watcher = Watcher(request, pattern, names.map { Set($0.map { UTF8Text($0) }) })
        let isFirst = watchers.isEmpty
        watchers[ObjectIdentifier(watcher)] = watcher
        request.onCancel = { [weak self, weak watcher] in
            if let watcher { self?.remove(watcher) }
        }
        request.onDrained = { [weak self, weak watcher] in
            if let watcher { self?.goOn(watcher) }
            return nil
        }
        if isFirst { onChange?(false) }
        list(hosts, for: watcher)
    }

    /// Tells all clients of these hosts again.
    func list(_ hosts: [String]) {
        for watcher in watchers.values { list(hosts, for: watcher) }
    }

    /// A host has changed.
    func send(_ host: HostStatus) {
        send(["host": .object(host.object)]) { $0.hosts.matches(host.name) }
    }

    /// A host has a new notification.
    func send(_ notification: JSONObject, of host: HostStatus) {
        let name = UTF8Text(notification["name"]?.stringValue ?? "")
        send(["host": .object(host.object), "notification": .object(notification)]) {
            $0.hosts.matches(host.name) && $0.names?.contains(name) != false
        }
    }

    /// Something that operators should know, about a host or about the broker.
    func send(note: String, of host: HostStatus? = nil) {
        var reply: JSONObject = ["note": .string(note)]
        reply["host"] = host.map { .object($0.object) }
        send(reply) { watcher in host.map { watcher.hosts.matches($0.name) } ?? true }
    }

    private func send(_ parameters: @autoclosure () -> JSONObject, where isWanted: (Watcher) -> Bool) {
        let wanting = watchers.values.filter(isWanted)
        guard !wanting.isEmpty else { return }
        let reply = VarlinkEncodedReply(VarlinkReply(parameters(), continues: true))
        for watcher in wanting {
            watcher.request.send(reply)
            if !limit.admits(watcher.request) { remove(watcher) }
        }
    }

    private func list(_ hosts: [String], for watcher: Watcher) {
        let isListing = watcher.next < watcher.list.count
        watcher.list = hosts
        watcher.next = 0
        if !isListing { goOn(watcher) }
    }

    /// Tells a client of hosts, as fast as it reads.
    private func goOn(_ watcher: Watcher) {
        while watcher.next < watcher.list.count {
            guard watcher.request.queuedBytes < ReplyLimit.bytesReady else { return }
            let name = watcher.list[watcher.next]
            watcher.next += 1
            guard watcher.hosts.matches(name), let host = status(name) else { continue }
            watcher.request.reply(["host": .object(host.object)], continues: true)
        }
        watcher.list = []
        watcher.next = 0
    }

    private func remove(_ watcher: Watcher) {
        guard watchers.removeValue(forKey: ObjectIdentifier(watcher)) != nil, watchers.isEmpty else { return }
        onChange?(true)
    }
}
