# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A thousand queued real-time signals, and signals without end."""

import pytest
from belfry_service import DOORBELL, SERVICE

COUNT = 1000
# Runs in the host, so that belfryd can see the pid of the sender.
BURST = """
import ctypes, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
for value in range(int(sys.argv[2])):
    if libc.sigqueue(int(sys.argv[1]), signal.SIGRTMIN + 5, ctypes.c_void_p(value)) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
print(os.getpid())
"""


def burst(belfry) -> int:
    """Queues the signals; returns the sender's pid."""
    command = ("/usr/bin/python3", "-", str(belfry.main_pid()), str(COUNT))
    return int(belfry.host.run(*command, input=BURST).stdout)


def test_burst_to_a_stopped_process_is_not_lost(belfry):
    belfry.configure(DOORBELL)
    belfry.start()
    subscriber = belfry.subscribe(names=["org.example.doorbell"])

    belfry.kill("STOP")
    burst(belfry)
    belfry.kill("CONT")

    assert [subscriber.next()["origin"]["value"] for _ in range(COUNT)] == list(range(COUNT))


@pytest.mark.parametrize("signal", ["HUP", "USR1"])
def test_clients_are_served_and_a_stop_is_obeyed_during_signals_without_end(on_each, signal):
    on_each.start()
    # As fast as a shell can.
    loop = f"while kill -{signal} {on_each.main_pid()} 2>/dev/null; do :; done"
    with on_each.host.running("sh", "-c", loop):
        for _ in range(5):
            assert on_each.status()["state"] == "active"
        on_each.ctl("pause")
        on_each.ctl("resume")
        on_each.host.systemctl("stop", SERVICE)

    assert on_each.properties("Result", "NRestarts") == {"Result": "success", "NRestarts": "0"}
