// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryLinux
package import BelfrySystemd
internal import Glibc

/// The descriptors that the service manager has for this service: sockets from socket units, and its descriptor store.
///
/// What is stored outlives the process: the next one receives it under the same name, after `systemctl restart` as
/// after a crash. So a service keeps its connections:
///
///     for client in service.descriptors.receive(named: "client") { serve(client) }
///     …
///     try service.descriptors.store(client.number, as: "client")
///
/// The unit needs `FileDescriptorStoreMax=`. Source: sd_listen_fds(3), sd_notify(3), systemd.service(5).
@MainActor public final class ServiceDescriptors {
    private var received: [(name: String, descriptor: Int32)]
    private let manager: ServiceManagerSocket

    /// - Parameters:
    ///   - received: the descriptors, which nobody else uses.
    ///   - manager: stores descriptors.
    package init(_ received: [(name: String, descriptor: Int32)], manager: ServiceManagerSocket) {
        self.received = received
        self.manager = manager
    }

    /// The names of the descriptors that were not received yet, in the order of the service manager. Names may repeat.
    public var names: [String] { received.map(\.name) }

    /// Receives the descriptors of this name, which belong to the caller from now on.
    ///
    /// The service manager does not say which are sockets of socket units (`FileDescriptorName=` in systemd.socket(5),
    /// by default the name of the unit) and which were stored. Those from the store stay there until
    /// `removeStored(_:)`.
    ///
    /// - Returns: the descriptors in the order of the service manager; none without a service manager, and none when
    ///   the name was received before.
    public func receive(named name: String) -> [OwnedDescriptor] {
        let found = received.filter { $0.name.utf8.elementsEqual(name.utf8) }
        received.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
        return found.map { OwnedDescriptor(owning: $0.descriptor) }
    }

    /// Has the service manager keep a copy of a descriptor. The manager removes it when the peer hangs up; as long as
    /// it is kept, closing all other copies does not hang up on the peer. Storing it again has no effect.
    ///
    /// Watch a stored descriptor with `MainEventLoop.source(owning:_:_:)`, which closes it in the right order: the
    /// kernel goes on to report a closed descriptor as long as there is a copy, and the loop would fail (epoll(7)).
    ///
    /// The manager does not answer: it refuses silently if the unit has no store or no room in it. Without a service
    /// manager nothing is stored.
    ///
    /// - Parameters:
    ///   - descriptor: a socket, a memory file, a pipe or another descriptor. The caller still owns it.
    ///   - name: 1 to 255 printable ASCII characters without a colon. Names that begin with `belfry-` are Belfry's own.
    /// - Throws: `EINVAL` for any other name, `EBADF` for a descriptor that is not open, and `EAGAIN` if the service
    ///   manager has accepted nothing for too long.
    public func store(_ descriptor: Int32, as name: String) throws(SystemError) {
        guard Self.isName(name) else { throw SystemError(EINVAL, verb: "store descriptor as", object: name) }
        guard fcntl(descriptor, F_GETFD) >= 0 else { throw .last(verb: "store descriptor", object: "\(descriptor)") }
        if case .failed(let error) = manager.send([.storeDescriptors(name: name)], descriptors: [descriptor]) {
            throw error
        }
    }

    /// Removes what is stored under this name, and closes the service manager's copies.
    public func removeStored(_ name: String) {
        if Self.isName(name) { manager.send([.removeDescriptors(name: name)]) }
    }

    private static func isName(_ name: String) -> Bool {
        let isPrintable = name.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
        return isPrintable && (1...255).contains(name.utf8.count) && !name.utf8.starts(with: "belfry-".utf8)
    }
}
