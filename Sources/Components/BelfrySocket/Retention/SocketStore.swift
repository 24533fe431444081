// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd
internal import CBelfry
internal import Glibc

/// What the socket has in the service manager's descriptor store, and what the manager handed over at the start: the
/// memory of recent notifications, and the listening socket.
package final class SocketStore {
    private static let ring = "belfry-notifications"
    private static let listener = "belfry-listener"

    private let manager: ServiceManagerSocket
    private var received: [String: [Int32]] = [:]
    /// Whether there is a store, as far as is known.
    private(set) var isAvailable: Bool

    /// - Parameters:
    ///   - received: what the manager handed over. This object owns those that the socket stored.
    ///   - manager: stores descriptors.
    package init(_ received: ListenDescriptors, manager: ServiceManagerSocket) {
        self.manager = manager
        isAvailable = manager.hasDescriptorStore
        for (name, descriptor) in received.descriptors where Self.isOurs(name) {
            self.received[name, default: []].append(descriptor)
        }
    }

    /// Whether this is a name under which the socket stores descriptors.
    package static func isOurs(_ name: String) -> Bool { name == ring || name == listener }

    /// Returns the memory that was handed over, for the caller to own.
    func removeRing() -> Int32? { received[Self.ring]?.popLast() }

    /// Returns the listening socket that was handed over, for the caller to own, if it has this address and its file
    /// still exists.
    func removeListener(at path: String) -> Int32? {
        guard let place = received[Self.listener]?.firstIndex(where: { Self.isListening($0, at: path) }) else {
            return nil
        }
        return received[Self.listener]?.remove(at: place)
    }

    private static func isListening(_ descriptor: Int32, at path: String) -> Bool {
        var address = Array(path.utf8CString)
        let isAbstract = path.hasPrefix("@")
        if isAbstract { address[0] = 0 }
        let length = isAbstract ? address.count - 1 : 0
        guard sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, address, length) > 0 else { return false }
        var status = stat()
        return isAbstract || (lstat(path, &status) == 0 && belfry_is_socket(status.st_mode))
    }

    /// Closes the descriptors that are left, and removes them from the store.
    package func closeRest() {
        for (name, descriptors) in received where !descriptors.isEmpty {
            for descriptor in descriptors { close(descriptor) }
            remove(name)
        }
        received = [:]
    }

    /// Stores the memory of recent notifications.
    func store(ring descriptor: Int32, replacingOthers: Bool) {
        guard isAvailable else { return }
        if replacingOthers { remove(Self.ring) }
        isAvailable = store(descriptor, named: Self.ring).isUnderWay
    }

    /// Stores the listening socket, so that clients wait for the next process.
    func store(listener descriptor: Int32) { store(descriptor, named: Self.listener) }

    @discardableResult
    private func store(_ descriptor: Int32, named name: String) -> ServiceManagerSocket.Outcome {
        manager.send([.storeDescriptors(name: name)], descriptors: [descriptor])
    }

    private func remove(_ name: String) { manager.send([.removeDescriptors(name: name)]) }
}
