// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import CBelfry
internal import Glibc

/// The unit's descriptor store: stored descriptors outlive the process, and come back to the next one among
/// `ListenDescriptors` (systemd.service(5), `FileDescriptorStoreMax=`; sd_notify(3), `FDSTORE=1`).
///
/// The manager refuses silently when it has no room or the unit has no store: `capacity` says how much room there is,
/// if the manager tells, and `ServiceManagerSocket.barrier` when everything has been processed. Closing our copy of a
/// stored descriptor does not close the manager's.
package final class DescriptorStore {
    /// The most descriptors that go with one message; more take several.
    private static let messageMax = 253
    private let manager: ServiceManagerSocket

    /// Makes a store that speaks to `manager`.
    package init(manager: ServiceManagerSocket) { self.manager = manager }

    /// The size of the unit's store, from `$FDSTORE` since systemd 254; nil if unknown.
    package static var capacity: Int? { getenv("FDSTORE").flatMap { Int(String(cString: $0)) } }

    /// Whether there is a manager, and the unit may have a store.
    package var isThere: Bool { Self.capacity != 0 && manager.isThere }

    /// Whether descriptors can have this name: 1 to 255 characters of printable ASCII other than the colon.
    package nonisolated static func isName(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x3A }
    }

    /// Stores copies of descriptors under a name, in addition to those stored under it already.
    ///
    /// - Parameters:
    ///   - descriptors: what to store. The caller keeps owning them.
    ///   - name: what they come back as (`isName`).
    ///   - evenHungUp: whether they stay there after they hang up. Otherwise the manager drops them then.
    /// - Returns: the outcome of the last message, or of the first that failed; `EINVAL` for what is no name.
    @discardableResult
    package func store(
        _ descriptors: [Int32], named name: String, evenHungUp: Bool = false
    ) -> ServiceManagerSocket.Outcome {
        guard Self.isName(name) else { return .failed(SystemError(EINVAL, verb: "store", object: name)) }
        var outcome = ServiceManagerSocket.Outcome.sent
        for start in stride(from: 0, to: descriptors.count, by: Self.messageMax) {
            let some = Array(descriptors[start..<min(start + Self.messageMax, descriptors.count)])
            outcome = manager.send([.storeDescriptors(name: name, evenHungUp: evenHungUp)], descriptors: some)
            guard outcome.isUnderWay else { return outcome }
        }
        return outcome
    }

    /// Removes, and closes, what is stored under a name.
    ///
    /// - Returns: what became of the message; `EINVAL` for what is no name.
    @discardableResult
    package func remove(named name: String) -> ServiceManagerSocket.Outcome {
        guard Self.isName(name) else { return .failed(SystemError(EINVAL, verb: "remove", object: name)) }
        return manager.send([.removeDescriptors(name: name)])
    }
}

/// The descriptors that the service manager handed over at the start (sd_listen_fds_with_names(3)).
package nonisolated struct ListenDescriptors: Sendable, Equatable {
    /// The descriptors with their names, in order. Names may repeat.
    package let descriptors: [(name: String, descriptor: Int32)]

    /// Descriptors that came in another way.
    package init(_ descriptors: [(name: String, descriptor: Int32)]) { self.descriptors = descriptors }

    /// Receives the descriptors, and sets close-on-exec.
    ///
    /// - Throws: `EINVAL` for environment variables that make no sense, `EBADF` when what they name is not open.
    package static func received() throws(SystemError) -> Self {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = try SystemError.check(sd_listen_fds_with_names(0, &names), verb: "take over", object: "descriptors")
        defer {
            for index in 0..<Int(count) { free(names?[index]) }
            free(names)
        }
        return Self(
            (0..<count).map { index in
                (names?[Int(index)].map { String(cString: $0) } ?? "unknown", SD_LISTEN_FDS_START + index)
            })
    }

    /// Whether a descriptor came from the descriptor store and not from a socket unit.
    ///
    /// The service manager does not distinguish them (sd_listen_fds(3)). Socket units pass listening sockets,
    /// datagram sockets and FIFOs; `stored` is the name of what was stored without one (sd_notify(3), `FDNAME=`).
    package static func isStored(_ descriptor: Int32, named name: String) -> Bool {
        name == "stored"
            || sd_is_socket(descriptor, AF_UNSPEC, 0, 1) <= 0
                && sd_is_socket(descriptor, AF_UNSPEC, Int32(SOCK_DGRAM.rawValue), -1) <= 0
                && sd_is_fifo(descriptor, nil) <= 0
    }

    /// The descriptors of one name.
    package func named(_ name: String) -> [Int32] { descriptors.filter { $0.name == name }.map(\.descriptor) }

    /// Whether both are the same descriptors with the same names.
    package static func == (left: Self, right: Self) -> Bool {
        left.descriptors.elementsEqual(right.descriptors) { $0 == $1 }
    }
}
