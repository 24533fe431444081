// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import BelfryListeners
internal import BelfryLinux
internal import Varlink

/// Where the socket listens: on descriptors from systemd if there are any, otherwise at a path.
package final class SocketEndpoint {
    private let path: String
    private let activated: [Int32]

    /// - Parameters:
    ///   - path: where to listen when systemd handed over no socket.
    ///   - activated: sockets from systemd that listen already.
    package init(path: String, activated: [Int32]) {
        self.path = path
        self.activated = activated
    }

    /// Begins to listen. A socket at a path is stored in the service manager, so that clients are not refused while the service
    /// restarts.
    ///
    /// - Throws: `LifecycleRefusal` when that is not possible, so that the service does not start.
    func open(_ server: VarlinkServer, _ stored: HandoffDescriptors) throws {
        do throws(SystemError) {
            for descriptor in activated { try server.listen(onActivated: descriptor) }
            guard activated.isEmpty else { return }
            if let descriptor = stored.removeListener(at: path) { return try server.listen(onActivated: descriptor) }
            try makeDirectory()
            try server.listen(on: path, mode: 0o666)
            guard stored.isAvailable else { return }
            for descriptor in server.listeningDescriptors { stored.storeListener(descriptor) }
            server.keepFiles()
        } catch {
            throw LifecycleRefusal("\(error)")
        }
    }

    private func makeDirectory() throws(SystemError) {
        guard !path.hasPrefix("@"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        try OwnedDirectory.make(String(path[..<slash]))
    }
}
