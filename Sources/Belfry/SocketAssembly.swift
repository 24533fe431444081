// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import EventLoop
internal import Lifecycle
internal import LifecycleListeners
internal import ServiceManager

/// Puts the socket together from what is configured, what systemd handed over and what the last process left.
struct SocketAssembly {
    private let options: ServiceOptions
    private let settings: SocketSettings
    private let identity: ServiceIdentity
    private let log: ServiceLog
    private let received: ListenDescriptors
    /// Nil when there is to be no socket.
    private let keeper: SocketKeeper?

    init(
        _ options: ServiceOptions, _ settings: SocketSettings, _ identity: ServiceIdentity, _ log: ServiceLog
    ) throws {
        self.options = options
        self.settings = settings
        self.identity = identity
        self.log = log
        received = try .received()
        let kept = KeptDescriptors(received, store: DescriptorStore())
        if settings.isEnabled {
            keeper = try SocketKeeper(settings, bootID: identity.bootID, descriptors: kept, log: log)
        } else {
            keeper = nil
            kept.dropRest()
        }
    }

    /// The number of the last notification that the last process kept, if it did.
    var lastSequence: UInt64? { keeper?.lastSequence }

    /// The listener, unless there is to be no socket.
    ///
    /// - Parameter path: where it listens when nothing else is said.
    func listener(at path: String, _ loop: MainEventLoop, _ mediator: LifecycleMediator) throws -> SocketListener? {
        guard let keeper else { return nil }
        let endpoint = SocketEndpoint(
            path: options.socketPath ?? settings.path ?? path, configuredPath: settings.path,
            activated: options.socketPath == nil ? received.named("varlink") : [])
        return try SocketListener(
            loop: loop, mediator: mediator, identity: identity, endpoint: endpoint, keeper: keeper, log: log)
    }
}
