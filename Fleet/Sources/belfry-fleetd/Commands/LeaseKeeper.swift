// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import BelfryLease
import BelfryLinux
import BelfrySystemd
import Logging

/// Has the lease of this host from before a command pauses it until it is active again. A FleetLock server gives leases to a
/// limited number of hosts at a time.
///
/// One call of the server runs at a time, and calls that fail for the moment are repeated.
final class LeaseKeeper {
    /// A call of the server.
    typealias Call = (@escaping LeaseClient.Handler) -> Void

    private typealias Waiting = (deadlineUsec: Int64, then: (String?) -> Void)

    private static let delays = (first: Duration.seconds(1), longest: Duration.seconds(30))

    private let loop: MainEventLoop
    private let lock: Call
    private let unlock: Call
    private let logger = Logger(label: "belfry-fleetd.lease")
    private var waiting: [Waiting] = []
    private var commands = 0
    /// Whether the server may have given the lease to this host. An earlier process may have taken it.
    private var mayHaveLease = true
    private var isHostActive = false
    private var isCalling = false
    private var delay = LeaseKeeper.delays.first
    private var timer: TimerEventSource?

    init(on loop: MainEventLoop, lock: @escaping Call, unlock: @escaping Call) {
        self.loop = loop
        self.lock = lock
        self.unlock = unlock
    }

    /// Takes the lease for a command, and calls `then` with nil; or with why there was none before the deadline, in
    /// microseconds of Unix time.
    func acquire(until deadlineUsec: Int64, then: @escaping (_ refusal: String?) -> Void) {
        waiting.append((deadlineUsec, then))
        step()
    }

    /// To be called once for each command that has got the lease, when it has ended.
    func commandEnded(isPaused: Bool) {
        commands -= 1
        // The notifications of the pause may come later than its reply.
        if isPaused { isHostActive = false }
        step()
    }

    /// To be called with each change of the host's state. An active host gives the lease back.
    func hostChanged(isActive: Bool) {
        isHostActive = isActive
        step()
    }

    private func step() {
        guard !isCalling, timer == nil else { return }
        if !waiting.isEmpty {
            isCalling = true
            mayHaveLease = true
            lock { [weak self] in self?.locked($0) }
        } else if mayHaveLease, isHostActive, commands == 0 {
            isCalling = true
            unlock { [weak self] in self?.unlocked($0) }
        }
    }

    private func locked(_ result: Result<Void, LeaseError>) {
        isCalling = false
        guard case .failure(let failure) = result else {
            delay = Self.delays.first
            let granted = waiting
            waiting = []
            commands += granted.count
            for command in granted { command.then(nil) }
            return step()
        }
        let next = UnixTime.now.adding(Int64(clamping: delay.microseconds))
        let refused = waiting.filter { !failure.mayTryAgain || $0.deadlineUsec <= next }
        waiting.removeAll { !failure.mayTryAgain || $0.deadlineUsec <= next }
        for command in refused { command.then("no lease: \(failure.reason)") }
        waiting.isEmpty ? step() : stepLater()
    }

    private func unlocked(_ result: Result<Void, LeaseError>) {
        isCalling = false
        guard case .failure(let failure) = result else {
            delay = Self.delays.first
            mayHaveLease = false
            return step()
        }
        logger.warning("unable to give the lease back: \(failure.reason)", metadata: .kind(.lease))
        stepLater()
    }

    private func stepLater() {
        // With jitter, so that hosts that wait for each other do not ask at the same time.
        timer = try? loop.timer(after: delay * Double.random(in: 0.5...1)) { [weak self] in
            self?.timer = nil
            self?.step()
        }
        delay = min(delay * 2, Self.delays.longest)
    }
}
