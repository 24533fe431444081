// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfryConfiguration
internal import Glibc
internal import Lifecycle
internal import BelfrySystemd
internal import BelfryListeners

/// Puts the socket together from what is configured, what systemd handed over and what the last process left.
final class SocketPart: AssembledPart {
    private let foundation: PartFoundation
    private let received: ListenDescriptors
    /// Nil when there is to be no socket.
    private let keeper: SocketKeeper?
    private var listener: SocketListener?

    init(_ foundation: PartFoundation) throws {
        self.foundation = foundation
        received = try .received()
        let kept = KeptDescriptors(received, store: DescriptorStore(manager: foundation.manager))
        let settings = foundation.settings.socket
        if settings.isEnabled {
            keeper = try SocketKeeper(
                settings, bootID: foundation.identity.bootID, descriptors: kept, log: foundation.log)
        } else {
            keeper = nil
            kept.dropRest()
        }
    }

    var lastSequence: UInt64? { keeper?.lastSequence }

    func owns(descriptorNamed name: String) -> Bool { KeptDescriptors.isOurs(name) }

    func addFirstListeners(_ service: PartSurroundings) throws {
        guard let keeper else { return }
        let path = foundation.options.socketPath
        let endpoint = SocketEndpoint(
            path: path ?? foundation.settings.socket.path ?? service.paths.socketPath,
            activated: path == nil ? received.named("varlink") : [])
        let listener = try SocketListener(
            loop: service.loop, mediator: service.mediator, identity: foundation.identity, endpoint: endpoint,
            keeper: keeper,
            series: JournalSeries(id: service.counter, uid: geteuid(), bootID: foundation.identity.bootID),
            log: foundation.log)
        listener.describeRun = service.describeRun
        listener.refreshTimeouts = service.refreshTimeouts
        try service.mediator.addListener(listener)
        self.listener = listener
    }

    func take(_ timeouts: UnitTimeouts) { listener?.unitTimeouts = timeouts }

    func end() { listener?.close() }
}
