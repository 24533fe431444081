# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An attached program as a listener: the Python example delays a stop, and is killed during it."""

import subprocess
import sys
import time
from contextlib import contextmanager

from belfry_service import SERVICE
from documentation import sample
from host_roots import PROJECT
from programs import running

RECORDER = PROJECT / "Examples" / "PythonListener" / "recorder.py"


@contextmanager
def recorder(belfry, finish: float):
    """The attached example."""
    command = [sys.executable, str(RECORDER), str(belfry.socket_path()), str(finish)]
    with running(command, stdout=subprocess.PIPE) as program:
        assert program.stdout.readline() == "recording\n"
        yield program


def reports(belfry) -> list[dict]:
    return [r for r in belfry.journal() if r.get("BELFRY_LISTENER") == "recorder" and "BELFRY_OUTCOME" in r]


def test_attached_listener_delays_a_stop(started_on_each):
    with recorder(started_on_each, 2) as program:
        begin = time.monotonic()
        started_on_each.host.systemctl("stop", SERVICE)
        took = time.monotonic() - begin
        assert program.stdout.read() == "willTerminate\nfile closed\n"
        assert program.wait(10) == 0
    assert took >= 2
    assert reports(started_on_each) == []


def test_session_of_the_readme_shows_its_real_output(on_each):
    (start, attach, reload, stop), printed = sample("recorder.py")
    host = on_each.host
    host.run("sh", "-c", start)
    attach = f"cd /usr/share/doc/belfry/Examples/PythonListener; exec {attach.removesuffix('&')}"
    with host.running("sh", "-c", attach) as program:
        lines = [program.stdout.readline()]
        refused = host.run("sh", "-c", reload, check=False)
        lines += [program.stdout.readline(), program.stdout.readline(), refused.stderr]
        host.run("sh", "-c", stop)
        lines.append(program.stdout.read())

    assert "".join(lines).splitlines() == printed
