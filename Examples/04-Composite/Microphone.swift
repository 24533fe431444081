// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A leaf that may be broken.
final class Microphone: LifecycleListener {
    private let isBroken: Bool

    init(isBroken: Bool) { self.isBroken = isBroken }

    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { [self] _ in
            if isBroken { throw DeviceError(reason: "unable to open '/dev/snd/pcmC0D0c': no such device") }
            print("  microphone: on")
        }
        on(.willTerminate) { _ in print("  microphone: off") }
    }
}
