// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import BelfryListeners
internal import BelfryLinux
internal import Glibc
internal import Varlink

/// Where the socket listens. The service manager stores the listening socket, so that clients are not refused while the
/// service restarts.
package final class SocketEndpoint {
    private let path: String
    private let store: SocketStore
    private var isStored = false

    /// - Parameters:
    ///   - path: where to listen.
    ///   - store: has the listening socket of the last process, if it is there.
    package init(path: String, store: SocketStore) {
        self.path = path
        self.store = store
    }

    /// Begins to listen. A file on whose socket no process listens any more is replaced.
    ///
    /// - Throws: `LifecycleRefusal` when that is not possible, so that the service does not start.
    func open(_ server: VarlinkServer) throws {
        do throws(SystemError) {
            let listener = store.removeListener(at: path)
            // This removes all of a name from the store, and so comes before anything is stored.
            store.closeRest()
            if let listener {
                try server.listen(onActivated: listener)
            } else {
                try makeDirectory()
                try server.listen(on: path, mode: 0o666)
            }
            guard store.isAvailable else { return }
            isStored = true
            for descriptor in server.listeningDescriptors { store.store(listener: descriptor) }
            server.keepFiles()
        } catch {
            // A terminal that has it for belfryctl passes it on to services.
            let isFromVariable = Environment.variables["BELFRY_SOCKET"]?.utf8.elementsEqual(path.utf8) ?? false
            let hint = ", the path is that of $BELFRY_SOCKET, unset it to listen in the runtime directory"
            throw LifecycleRefusal("\(error)\(isFromVariable ? hint : "")")
        }
    }

    /// Removes the file of a stored socket, at a stop after which no process listens on it.
    func removeFile() {
        if isStored, !path.hasPrefix("@") { unlink(path) }
    }

    private func makeDirectory() throws(SystemError) {
        guard !path.hasPrefix("@"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        try OwnedDirectory.make(String(path[..<slash]))
    }
}
