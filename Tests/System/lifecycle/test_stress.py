# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A hundred thousand mixed signals: nothing is lost, and memory does not grow."""

import subprocess
import sys

from belfry_service import DOORBELL
from programs import running

SIGNALS = 100_000
WARM_UP = 10_000
# Sent at once; half of them wait for a subscriber then, which is less than it may be behind.
BURST = 1000

# Runs in the host's pid namespace with this machine's Python, so that the daemon can see who sends. Every other signal
# is a queued one with its number; while the kernel's queue is full it waits, since nothing was queued then.
MIXED = """
import ctypes, os, random, signal, sys, time
pid, burst = (int(text) for text in sys.argv[1:])
libc = ctypes.CDLL(None, use_errno=True)
others = [signal.SIGUSR1, signal.SIGPWR, signal.SIGTSTP, signal.SIGCONT, signal.SIGHUP, signal.SIGUSR2]
choose = random.Random(1)
value = 0
for line in sys.stdin:
    for _ in range(burst // 2):
        os.kill(pid, choose.choices(others, [40, 40, 10, 10, 1, 1])[0])
        while libc.sigqueue(pid, signal.SIGRTMIN + 5, ctypes.c_void_p(value)) != 0:
            time.sleep(0.001)
        value += 1
os.kill(pid, signal.SIGCONT)
"""


def assert_nothing_grew(belfry, before: dict[str, int]) -> None:
    after = belfry.footprint()
    print(f"\nbefore {before}, after {after}")
    assert after["descriptors"] == before["descriptors"]
    assert after["threads"] == before["threads"] == 1
    assert after["RssAnon"] <= before["RssAnon"] + 512
    assert belfry.properties("NRestarts", "Result") == {"NRestarts": "0", "Result": "success"}


def test_hundred_thousand_mixed_signals_leave_nothing_behind(on_each):
    on_each.configure(DOORBELL)
    on_each.start()
    subscribers = [on_each.subscribe(names=["org.example.doorbell"]) for _ in range(3)]
    enter = ["nsenter", "-t", str(on_each.host.leader), "-p", "--", sys.executable, "-c", MIXED]
    command = [*enter, str(on_each.main_pid()), str(BURST)]
    rung = 0

    def send(count: int, sender: subprocess.Popen) -> None:
        nonlocal rung
        for burst in range(count // BURST):
            # Of what is faster than journald for long, records are dropped.
            if burst % 2 == 0:
                on_each.wait_until_logged()
            print("go", file=sender.stdin, flush=True)
            for _ in range(BURST // 2):
                for subscriber in subscribers:
                    assert subscriber.next()["origin"]["value"] == rung
                rung += 1

    with running(command, stdin=subprocess.PIPE) as sender:
        send(WARM_UP, sender)
        on_each.wait_until_logged()
        before = on_each.footprint()
        send(SIGNALS - WARM_UP, sender)
        sender.stdin.close()
        assert sender.wait(timeout=20) == 0

    assert rung == SIGNALS // 2
    on_each.wait_for(lambda: on_each.status()["state"] == "active", "be active in the end")
    on_each.wait_until_logged()
    assert_nothing_grew(on_each, before)
    logged = journal_values(on_each)
    assert len(logged) == len(set(logged)) == SIGNALS // 2


def journal_values(belfry) -> list[str]:
    """The values of the queued signals as the journal has them."""
    belfry.host.run("journalctl", "--sync")
    # By the run and not after a cursor: with another match, journalctl 252 leaves out the first record after it.
    run = f"_SYSTEMD_INVOCATION_ID={belfry.property('InvocationID')}"
    fields = ["--output=cat", "--output-fields=BELFRY_SIGNAL_VALUE"]
    return belfry.host.run("journalctl", *fields, run, "BELFRY_NOTIFICATION=org.example.doorbell").stdout.split()
