# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Faults at the system calls of a start, a restart, a reload and a stop. "make sweep" makes all of them."""

import re

import pytest
from fault_points import PHASES, points
from fault_sweep import sweep

# One in so many faults: a prime number, so that it is not the same signal each time.
EVERY = 79
# Faults that belfryd once did not survive as it should: the phase, the system call as strace prints it, and what happens there.
MENDED = [
    # READY=1 was never sent.
    ("start", r"socket\(AF_UNIX, SOCK_DGRAM", "error=EMFILE"),
    ("start", r"sendmsg\(", "error=ENOMEM"),
    ("reload", r"sendmsg\(", "error=ENOMEM"),
    # Nothing of the last process counted, as if it were from another boot.
    ("start", r"openat\(.*boot_id", "error=EMFILE"),
    ("restart", r"openat\(.*boot_id", "error=EMFILE"),
    # Sequence numbers were used again.
    ("start", r"openat\(.*/run/sequence", "error=EMFILE"),
    ("start", r"fallocate\(", "error=EINTR"),
    ("start", r"flock\(", "error=ENOLCK"),
    # The subscribers of the last process were disconnected.
    ("restart", r"mmap\(.*MAP_SHARED", "error=ENOMEM"),
    # Nobody could stop the service.
    ("start", r"signalfd4\(", "error=EMFILE"),
    # "Address already in use", with nobody listening.
    ("start", r"socket\(AF_UNIX, SOCK_STREAM", "error=ENFILE"),
    # The subscriber was disconnected without a reason.
    ("reload", r"sendmsg\(", "error=ENOBUFS"),
    ("stop", r"sendmsg\(", "error=ENOMEM"),
    # A pending SIGCONT was lost, and the service remained paused.
    ("reload", r"rt_sigaction\(SIGCONT", "signal=CONT"),
    # "The configuration is invalid", so that the service manager did not try again.
    ("start", r"openat\(.*belfry.conf", "error=EMFILE"),
]


@pytest.fixture(scope="module")
def faults():
    return [fault for phase in PHASES for fault in points(phase)]


def test_sweep_finds_nothing(faults, figures):
    counts, findings = sweep(faults[::EVERY])
    figures += counts
    assert findings == []


def test_mended_faults_stay_mended(faults):
    chosen = []
    for phase, call, what in MENDED:
        found = [f for f in faults if f.phase == phase and f.what == what and re.match(call, f.line)]
        assert found, f"no call {call} in the {phase}"
        chosen += found
    assert sweep(chosen)[1] == []
