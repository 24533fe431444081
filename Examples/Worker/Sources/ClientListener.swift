// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// Takes jobs on a Unix socket, in which each packet is a job. Jobs that come during a pause wait in the kernel.
///
/// systemd stores a copy of each client's socket under a name of its own, `client-INODE`, so that the client stays connected
/// through a restart.
final class ClientListener: LifecycleListener {
    private static let clientsMax = 64
    private let descriptors: ServiceDescriptors
    private let loop: MainEventLoop
    private let jobs: JobListener
    private var socket: (descriptor: OwnedDescriptor, source: DescriptorEventSource)?
    private var clients: [String: (descriptor: OwnedDescriptor, source: DescriptorEventSource)] = [:]

    init(_ descriptors: ServiceDescriptors, _ loop: MainEventLoop, _ jobs: JobListener) {
        (self.descriptors, self.loop, self.jobs) = (descriptors, loop, jobs)
    }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in
            for name in descriptors.names where name.hasPrefix("client-") {
                for client in descriptors.receive(named: name) { try serve(client, name) }
            }
            let folder = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) } ?? "/run/worker"
            let made = try PacketSocket.listen(on: "\(folder)/jobs")
            socket = (made, try loop.source(descriptor: made.number, .readable) { [self] _ in accept(made.number) })
        }
        on(.willResignActive) { [self] _ in enable(false) }
        on(.didBecomeActive) { [self] _ in enable(true) }
    }

    private func enable(_ isEnabled: Bool) {
        socket?.source.isEnabled = isEnabled
        for client in clients.values { client.source.isEnabled = isEnabled }
    }

    private func accept(_ socket: Int32) {
        guard let client = PacketSocket.accept(socket), clients.count < Self.clientsMax else { return }
        let name = "client-\(PacketSocket.inode(client))"
        do {
            try serve(client, name)
            try descriptors.store(client.number, as: name)
        } catch {
            remove(name)
        }
    }

    private func serve(_ client: OwnedDescriptor, _ name: String) throws {
        clients[name] = (client, try loop.source(descriptor: client.number, .readable) { [self] _ in receive(name) })
    }

    /// Runs the next job of a client.
    ///
    /// The job leaves the kernel when it is answered. If the process ends before, the next one runs the job, so none is lost.
    private func receive(_ name: String) {
        guard let client = clients[name]?.descriptor.number else { return }
        var bytes = [UInt8](repeating: 0, count: jobs.sizeMax + 1)
        let length = recv(client, &bytes, bytes.count, Int32(MSG_PEEK | MSG_DONTWAIT))
        if length < 0, errno == EAGAIN { return }
        guard length > 0 else { return remove(name) }
        let answer = jobs.run(bytes.prefix(length))
        // A client that does not read its answers is disconnected.
        let sent = send(client, answer, answer.utf8.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        guard sent == answer.utf8.count else { return remove(name) }
        recv(client, &bytes, 1, Int32(MSG_DONTWAIT))
    }

    private func remove(_ name: String) {
        // Before the descriptor is closed: systemd's copy would keep it in epoll(7).
        clients[name]?.source.cancel()
        clients[name] = nil
        descriptors.removeStored(name)
    }
}
