# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The service of the article "Draining a service" under load: a stop finishes every job that was accepted, and no other."""

import subprocess
import sys
import time
from collections import Counter

import pytest
from load import PORT, requests


def jobs(probe, seconds: int, clients: int, results: dict):
    """Jobs of this length during the block, one after the other for each client; their results are in `results` afterwards."""
    return requests(probe, f"/{seconds}", clients, len("done"), results)


def said(probe) -> Counter[str]:
    """How many jobs were accepted and finished, says the service."""
    return Counter(line.removeprefix("job ") for line in probe.messages() if line.startswith("job "))


def status_of(probe, path: str) -> int:
    program = f"import http.client as h; c = h.HTTPConnection('127.0.0.1', {PORT}); c.request('GET', '{path}')"
    command = ["nsenter", "-t", str(probe.host.leader), "-n", sys.executable, "-c", f"{program}; print(c.getresponse().status)"]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("stops, clients, seconds", [(3, 4, 2), pytest.param(100, 16, 4, marks=pytest.mark.nightly)])
def test_stop_under_load_cuts_off_no_job_that_was_accepted(probe, figures, stops, clients, seconds):
    short, long, counts, longest = {}, {}, Counter(), 0.0
    # The service is started below, so the first requests are refused.
    with jobs(probe, 1, clients, short), jobs(probe, seconds, clients, long):
        for _ in range(stops):
            probe.skip_old_records()
            probe.start("jobs")
            probe.wait_for(lambda: said(probe)["accepted"] >= 2 * clients, "accept a job of each client")
            begin = time.monotonic()
            probe.stop()
            longest = max(longest, time.monotonic() - begin)
            assert probe.property("Result") == "success"
            counts += said(probe)

    results = Counter(short) + Counter(long)
    figures.append(f"{stops} stops under load, jobs of 1 and {seconds} s: {dict(results)}, longest stop {longest:.1f} s")
    assert counts["finished"] == counts["accepted"] == results["good"] >= stops * 2 * clients
    # The others were refused: by the service, or by the kernel when no service was there. No reply was cut off.
    assert short["status 503"] > 0
    assert set(results) <= {"good", "status 503", "ConnectionRefusedError", "ConnectionResetError", "RemoteDisconnected"}


def test_service_is_not_ready_from_the_beginning_of_its_stop_on(probe):
    results = {}
    probe.start("jobs")
    assert status_of(probe, "/healthz") == 200
    with jobs(probe, 10, 1, results):
        probe.wait_for(lambda: said(probe)["accepted"] == 1, "accept a job")
        probe.host.systemctl("stop", "--no-block", probe.name)
        probe.wait_for(lambda: any("willResignActive" in line for line in probe.messages()), "announce the stop")

        assert status_of(probe, "/healthz") == status_of(probe, "/1") == 503
        assert said(probe)["finished"] == 0

    probe.wait_until_inactive()
    assert results == {"good": 1} and said(probe)["finished"] == 1
