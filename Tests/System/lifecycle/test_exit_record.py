# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The exit record: who ended or paused the service, stored for the next launch and shown by `belfryctl status`."""

import time

from belfry_service import SERVICE
from sequences import STOP


def test_stop_by_systemd_has_its_origin_and_the_time_of_every_listener(started_on_each):
    belfry = started_on_each
    expected = {
        listener["name"]
        for listener in belfry.listeners()
        if set(STOP) & set(listener["interests"])
    }
    before = time.time()
    belfry.host.systemctl("stop", SERVICE)

    belfry.start()
    status = belfry.status()
    record = status["lastWord"]
    assert record == status["launch"]["previousRun"]["lastWord"]

    assert (record["kind"], record["exitStatus"]) == ("stopped", 0)
    assert record["reason"] == "stop"
    origin = record["origin"]
    assert (origin["signal"], origin["pid"], origin["uid"]) == ("SIGTERM", 1, 0)
    assert (origin["unit"], origin["command"]) == ("init.scope", "systemd")
    assert {listener["listener"] for listener in record["listeners"]} == expected
    assert all(listener["durationUsec"] >= 0 for listener in record["listeners"])
    assert before - 1 < record["realtimeUsec"] / 1e6 < time.time() + 1
    status = belfry.ctl("status").stdout
    assert "Last word: stopped " in status
    assert "by SIGTERM from pid 1 systemd (root) init.scope, reason stop, exit status 0" in status
