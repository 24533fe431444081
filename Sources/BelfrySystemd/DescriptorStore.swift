// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc
internal import BelfryLinux

/// The unit's descriptor store: what is put there outlives the process, and comes back to the next one among
/// `ListenDescriptors` (systemd.service(5), `FileDescriptorStoreMax=`; sd_notify(3), `FDSTORE=1`).
///
/// A manager that has no room, or whose unit has no store, refuses in silence: `capacity` says how much there is, where
/// the manager tells, and `ServiceManagerSocket.barrier` when everything has been looked at. Closing our copy of what
/// is stored does not close the manager's.
public final class DescriptorStore {
    /// The most descriptors that go with one message; more take several.
    private static let messageMax = 253
    private let manager: ServiceManagerSocket

    /// Makes a store that speaks to `manager`.
    public init(manager: ServiceManagerSocket) { self.manager = manager }

    /// How many descriptors the unit's store holds, as `$FDSTORE` says since systemd 254; nil where nobody says.
    public static var capacity: Int? { getenv("FDSTORE").flatMap { Int(String(cString: $0)) } }

    /// Whether there is a manager, and it does not say that the unit has no store.
    public var isThere: Bool { Self.capacity != 0 && manager.isThere }

    /// Whether descriptors can have this name: 1 to 255 characters of printable ASCII other than the colon.
    public nonisolated static func isName(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x3A }
    }

    /// Stores copies of descriptors under a name, next to what is there under it already.
    ///
    /// - Parameters:
    ///   - descriptors: what to store. The caller keeps owning them.
    ///   - name: what they come back as (`isName`).
    ///   - evenHungUp: whether they stay there after they hang up. Otherwise the manager drops them then.
    /// - Returns: the outcome of the last message, or of the first that failed; `EINVAL` for what is no name.
    @discardableResult
    public func store(
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
    public func remove(named name: String) -> ServiceManagerSocket.Outcome {
        guard Self.isName(name) else { return .failed(SystemError(EINVAL, verb: "remove", object: name)) }
        return manager.send([.removeDescriptors(name: name)])
    }
}
