// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CLibsystemd
internal import Glibc

// The smallest service with sd-event: it sends READY=1 and waits for SIGTERM.
var signals = sigset_t()
sigemptyset(&signals)
sigaddset(&signals, SIGTERM)
pthread_sigmask(SIG_BLOCK, &signals, nil)
var loop: OpaquePointer?
guard sd_event_default(&loop) >= 0,
    sd_event_add_signal(loop, nil, SIGTERM, nil, nil) >= 0,
    sd_notify(0, "READY=1\nSTATUS=active") >= 0
else { exit(71) }
exit(sd_event_loop(loop))
