// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// SIGINT, SIGTERM and SIGHUP while something is done that they must not cut short. Those that are ignored stay so.
nonisolated struct HeldSignals {
    /// Readable when one has come; negative when they could not be held.
    let descriptor: Int32
    /// How many have come.
    private(set) var count: Int
    private var latest: Int32?
    private var mask = sigset_t()

    /// Holds them back from now on. `count` is how many had come before.
    init(after count: Int) {
        self.count = count
        var held = sigset_t()
        sigemptyset(&held)
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) { sigaddset(&held, number) }
        descriptor = signalfd(-1, &held, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        if descriptor >= 0 { pthread_sigmask(SIG_BLOCK, &held, &mask) }
    }

    /// Takes one that has come.
    mutating func take() {
        var info = signalfd_siginfo()
        guard read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) > 0 else { return }
        count += 1
        latest = Int32(clamping: info.ssi_signo)
    }

    /// Lets them take their course: one that has come and was not held back before ends the process.
    func release() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        var mask = mask
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        if let latest, sigismember(&mask, latest) == 0 { raise(latest) }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignored
    }
}
