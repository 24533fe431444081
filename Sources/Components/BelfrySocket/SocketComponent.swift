// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryConfiguration
internal import BelfryListeners
internal import Lifecycle

/// Assembles the socket from the configuration, and the descriptors of the last process.
final class SocketComponent: RunningComponent {
    private let parameters: SocketParameters
    private let service: ComponentParameters
    private let store: SocketStore
    /// Nil if the configuration turns the socket off.
    private let retained: RetainedNotifications?
    private var listener: SocketListener?

    static nonisolated let name = "socket"

    static nonisolated func check(_ loaded: LoadedConfiguration, _ options: ServiceOptions) -> LoadedConfiguration {
        loaded.decoded.socket.isEnabled ? loaded.findingGroup() : loaded
    }

    init(_ service: ComponentParameters) throws {
        parameters = SocketParameters(service.configuration[BelfrySettings.self] ?? .defaults)
        self.service = service
        store = SocketStore(service.received, manager: service.manager)
        guard parameters.socket.isEnabled else {
            retained = nil
            store.closeRest()
            return
        }
        retained = try RetainedNotifications(
            parameters, bootID: service.identity.bootID, store: store, log: service.log)
    }

    var lastSequence: UInt64? { retained?.lastSequence }

    func owns(descriptorNamed name: String) -> Bool { SocketStore.isOurs(name) }

    func addFirstListeners(_ context: ComponentContext) throws {
        guard let retained else { return }
        let path = service.options.socketPath ?? parameters.socket.path ?? context.paths.socketPath
        let listener = try SocketListener(
            loop: context.loop, mediator: context.mediator, parameters: parameters, identity: service.identity,
            endpoint: SocketEndpoint(path: path, store: store), retained: retained, log: service.log,
            describeRun: context.describeRun, budget: context.budget, application: service.options.application)
        try context.mediator.addListener(listener)
        self.listener = listener
    }

    func end() { listener?.close() }
}

extension ServiceComponent {
    /// The Varlink socket with `io.belfry.Lifecycle`, which belfryctl and other programs use to observe and control the
    /// service. `[Socket]` in the configuration sets its path and permissions.
    public nonisolated static var socket: ServiceComponent { ServiceComponent(SocketComponent.self) }
}
