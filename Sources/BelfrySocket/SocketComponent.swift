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
    private let parameters: ComponentParameters
    private let received: ListenDescriptors
    /// Nil if the configuration turns the socket off.
    private let handoff: Handoff?
    private var listener: SocketListener?

    init(_ parameters: ComponentParameters) throws {
        self.parameters = parameters
        received = try .received()
        let descriptors = HandoffDescriptors(received, manager: parameters.manager)
        let settings = parameters.settings.socket
        if settings.isEnabled {
            handoff = try Handoff(
                settings, bootID: parameters.identity.bootID, descriptors: descriptors, log: parameters.log)
        } else {
            handoff = nil
            descriptors.closeRest()
        }
    }

    var lastSequence: UInt64? { handoff?.lastSequence }

    func owns(descriptorNamed name: String) -> Bool { HandoffDescriptors.isOurs(name) }

    func addFirstListeners(_ service: ComponentContext) throws {
        guard let handoff else { return }
        let path = parameters.options.socketPath
        let endpoint = SocketEndpoint(
            path: path ?? parameters.settings.socket.path ?? service.paths.socketPath,
            activated: path == nil ? received.named("varlink") : [])
        let listener = try SocketListener(
            loop: service.loop, mediator: service.mediator, identity: parameters.identity, endpoint: endpoint,
            handoff: handoff,
            series: JournalSeries(id: service.counter, uid: geteuid(), bootID: parameters.identity.bootID),
            log: parameters.log)
        listener.describeRun = service.describeRun
        listener.refreshTimeouts = service.refreshTimeouts
        try service.mediator.addListener(listener)
        self.listener = listener
    }

    func unitTimeoutsChanged(_ timeouts: UnitTimeouts) { listener?.unitTimeouts = timeouts }

    func end() { listener?.close() }
}

extension ServiceComponent {
    /// The Varlink socket with `io.belfry.Lifecycle`, which belfryctl and other programs use to observe and control the
    /// service. `[Socket]` in the configuration sets its path and permissions.
    public nonisolated static var socket: ServiceComponent {
        ServiceComponent("socket", parameters: \.socket, make: { try SocketComponent($0) })
    }
}

nonisolated extension VarlinkLimits {
    /// The limits that `[Socket]` sets. A slow subscriber gets an error at `QueueMax`, long before the connection would be
    /// closed.
    init(_ settings: SocketSettings) {
        self.init()
        connections = min(settings.connectionsMax, Self.possibleConnections)
        connectionsPerUser = settings.connectionsPerUserMax
        messageSize = settings.frameMax
        memoryPerUser = settings.memoryPerUserMax
        memory = settings.memoryMax
        // A slow subscriber still gets its error: one turn of the loop may queue more than the limit allows.
        queuedBytes = settings.queueSizeMax + 2 * settings.frameMax + (1 << 20)
        queuedReplies = max(queuedReplies, settings.queueMax + settings.replayMax + 16)
    }

    /// Descriptors for everything else: files, timers, buses, and connections of root and the service's own user.
    private static let reservedDescriptors = 128

    /// How many connections the descriptor limit allows (`RLIMIT_NOFILE`, getrlimit(2)).
    static var possibleConnections: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return max(1, Int(clamping: limit.rlim_cur) - reservedDescriptors)
    }
}
