# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`systemctl restart belfryd` on a booted systemd, as its clients see it."""

import os
import sys
import threading
import time
from pathlib import Path
from statistics import median

from .client import Client, call
from .measure import Place, Row, Section, at_most

KIT = Path(__file__).resolve().parents[2] / "Tests/System/kit"
RESTARTS, GAP_GOAL_MS = 10, 100
STATE = call("GetState")


def _gap(belfry) -> float:
    """Milliseconds from the last answer of the service before a restart to the first after it. Each call is made by a new
    connection, which the kernel queues while no process accepts it."""
    old = belfry.main_pid()
    restart = threading.Thread(target=belfry.host.systemctl, args=("restart", belfry.name))
    restart.start()
    last = time.monotonic()
    while True:
        try:
            with Client(belfry.socket_path()) as client:
                answer = client.call(STATE)["parameters"]
        except (OSError, RuntimeError):
            continue  # The service ended after it had accepted the connection.
        now = time.monotonic()
        if answer["pid"] != old:
            restart.join()
            return (now - last) * 1000
        last = now


def restart(place: Place) -> Section:
    section = Section("Restart: systemctl restart belfryd", "how long clients get no answer")
    if os.geteuid() != 0:
        section.rows.append(Row("gap between answers", "not measured: it boots systemd and needs root"))
        return section
    sys.path.insert(0, str(KIT))
    from belfry_service import installed_host
    from host_roots import machine_root
    from private_mounts import enter_private_mounts

    enter_private_mounts()
    with installed_host("bench", machine_root()) as belfry:
        belfry.start()
        gaps = [_gap(belfry) for _ in range(RESTARTS)]
    section.rows.append(Row(
        "gap between answers, median", f"{median(gaps):.0f} ms", f"longest {max(gaps):.0f} ms",
        goal=at_most(round(median(gaps)), GAP_GOAL_MS, " ms")))
    return section
