# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The certification suite of the reference implementation, both ways: our server with its client, and our client with
its server. The probe is a small program on the part `Varlink` alone."""

import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from host_roots import PROJECT
from programs import running

PROBE = PROJECT / ".build" / "debug" / "VarlinkProbe"
SUITE = [sys.executable, "-m", "varlink.tests.test_certification"]


@contextmanager
def serving(command: list[str], socket: str):
    """A server that accepts connections."""
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        deadline = time.monotonic() + 20
        while not bound(socket):
            assert server.poll() is None, server.stdout.read()
            assert time.monotonic() < deadline, "no socket after 20 s"
            time.sleep(0.02)
        yield server


def bound(socket: str) -> bool:
    """Whether a socket of this name listens (proc_net(5))."""
    return any(line.endswith(socket) for line in Path("/proc/net/unix").read_text().splitlines())


@pytest.fixture(params=["file", "abstract"])
def address(request, tmp_path) -> str:
    return f"{tmp_path}/varlink" if request.param == "file" else f"@{tmp_path}/varlink"


def test_server_is_certified_by_the_reference_client(address):
    with serving([str(PROBE), "serve", address], address):
        done = subprocess.run([*SUITE, f"--varlink=unix:{address}", "--client"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Certification passed" in done.stdout


def test_client_is_certified_by_the_reference_server(address):
    with serving([*SUITE, f"--varlink=unix:{address}"], address):
        done = subprocess.run([str(PROBE), "certify", address], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'End: {"all_ok":true}' in done.stdout
