// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// Accepts clients on the sockets that systemd passes as `echo`. Each client is stored in systemd's descriptor store under a
/// name of its own, `client-INODE`, so that the next process continues to serve it.
final class EchoListener: LifecycleListener {
    private let descriptors: ServiceDescriptors
    private let loop: MainEventLoop
    private var sockets: [DescriptorEventSource] = []
    private var clients: [String: EchoClient] = [:]

    init(_ descriptors: ServiceDescriptors, _ loop: MainEventLoop) {
        self.descriptors = descriptors
        self.loop = loop
    }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in
            for name in descriptors.names where name.hasPrefix("client-") {
                for client in descriptors.receive(named: name) { try serve(client, name) }
            }
            for socket in descriptors.receive(named: "echo") {
                let number = socket.number
                sockets.append(try loop.source(owning: socket, .readable) { [self] _ in accept(number) })
            }
            if sockets.isEmpty { throw LifecycleRefusal("no socket 'echo' from systemd, see README.md") }
        }
    }

    private func accept(_ socket: Int32) {
        let number = Glibc.accept(socket, nil, nil)
        guard number >= 0 else { return }
        let client = OwnedDescriptor(owning: number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        var status = stat()
        fstat(number, &status)
        let name = "client-\(status.st_ino)"
        do {
            try serve(client, name)
            try descriptors.store(number, as: name)
        } catch {
            print(error)
        }
    }

    private func serve(_ descriptor: OwnedDescriptor, _ name: String) throws {
        clients[name] = try EchoClient(descriptor, loop) { [self] in
            clients[name] = nil
            descriptors.removeStored(name)
        }
    }
}
