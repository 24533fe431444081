// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryConfiguration
internal import BelfryListeners
internal import BelfrySystemd
internal import Glibc
internal import Lifecycle
internal import Varlink

/// Assembles the socket from the configuration, the descriptors from systemd and the handoff of the last process.
final class SocketComponent: RunningComponent {
    private let parameters: SocketParameters
    private let service: ComponentParameters
    private let received: ListenDescriptors
    /// Nil if the configuration turns the socket off.
    private let handoff: Handoff?
    private var listener: SocketListener?

    init(_ parameters: SocketParameters, _ service: ComponentParameters) throws {
        self.parameters = parameters
        self.service = service
        received = service.received
        let descriptors = HandoffDescriptors(received, manager: service.manager)
        if parameters.isEnabled {
            handoff = try Handoff(
                parameters, bootID: service.identity.bootID, descriptors: descriptors, log: service.log)
        } else {
            handoff = nil
            descriptors.closeRest()
        }
    }

    var lastSequence: UInt64? { handoff?.lastSequence }

    func owns(descriptorNamed name: String) -> Bool { HandoffDescriptors.isOurs(name) }

    func addFirstListeners(_ context: ComponentContext) throws {
        guard let handoff else { return }
        let path = service.options.socketPath
        let endpoint = SocketEndpoint(
            path: path ?? parameters.path ?? context.paths.socketPath,
            activated: path == nil ? received.named("varlink") : [])
        let listener = try SocketListener(
            loop: context.loop, mediator: context.mediator, parameters: parameters, identity: service.identity,
            endpoint: endpoint, handoff: handoff,
            series: JournalSeries(id: context.counter, uid: geteuid(), bootID: service.identity.bootID),
            log: service.log)
        listener.describeRun = context.describeRun
        listener.refreshTimeouts = context.refreshTimeouts
        try context.mediator.addListener(listener)
        self.listener = listener
    }

    func unitTimeoutsChanged(_ timeouts: UnitTimeouts) { listener?.unitTimeouts = timeouts }

    func end() { listener?.close() }
}

extension ServiceComponent {
    /// The Varlink socket with `io.belfry.Lifecycle`, which belfryctl and other programs use to observe and control the
    /// service. `[Socket]` in the configuration sets its path and permissions.
    public nonisolated static var socket: ServiceComponent {
        ServiceComponent(
            "socket", parameters: { SocketParameters($0) }, make: { try SocketComponent($0, $1) })
    }
}
