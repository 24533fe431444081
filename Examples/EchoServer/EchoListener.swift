// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServer
import Glibc

/// Serves clients over restarts. Each client is stored in systemd's descriptor store under a name of its own, `client-INODE`, so
/// that the next process continues to serve it. In a pause clients stay connected, and wait.
final class EchoListener: LifecycleListener {
    /// `FileDescriptorStoreMax=` of the unit.
    private static let clientsMax = 64
    private let service: BelfryService
    private var clients: [String: EchoClient] = [:]

    init(_ service: BelfryService) { self.service = service }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in
            for name in service.descriptors.names where name.hasPrefix("client-") {
                for client in service.descriptors.receive(named: name) { try serve(client, name) }
            }
        }
        on(.didBecomeActive) { [self] _ in for client in clients.values { client.isPaused = false } }
        on(.willResignActive) { [self] _ in for client in clients.values { client.isPaused = true } }
    }

    /// Takes a client over from the server, which closes its clients at a stop.
    func add(_ connection: ServerConnection) throws -> () -> Void {
        if clients.count >= Self.clientsMax { throw LifecycleRefusal("\(Self.clientsMax) clients are being served") }
        let client = OwnedDescriptor(owning: try connection.duplicate())
        connection.end()
        var status = stat()
        fstat(client.number, &status)
        let name = "client-\(status.st_ino)"
        try service.descriptors.store(client.number, as: name)
        try serve(client, name)
        return {}
    }

    private func serve(_ descriptor: OwnedDescriptor, _ name: String) throws {
        clients[name] = try EchoClient(descriptor, service.loop) { [self] in
            clients[name] = nil
            service.descriptors.removeStored(name)
        }
        clients[name]?.isPaused = service.mediator.state != .active
    }
}
