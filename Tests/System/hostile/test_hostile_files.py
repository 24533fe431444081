# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""belfryd with hostile files, directories and limits: it starts without them, or reports why it cannot."""

import os
import signal
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from host_roots import PROJECT
from private_service import DAEMON, PrivateService
from programs import running

CONTROL = PROJECT / ".build/release/belfryctl"
NOBODY = 65534


@pytest.fixture
def place(tmp_path):
    return PrivateService(tmp_path)


def run(place: PrivateService, *wrapper: str, **variables: str) -> tuple[str, int]:
    """The log of a service until it is active (then it is stopped) or has ended; and its exit status."""
    command = [*wrapper, str(DAEMON), *place.options]
    with running(command, stderr=subprocess.PIPE, env=place.environment | variables) as daemon:
        text = ""
        for line in daemon.stderr:
            text += line
            if "didBecomeActive" in line:
                daemon.send_signal(signal.SIGTERM)
        return text, daemon.wait(20)


@contextmanager
def full_file_system(path: Path):
    """A file system of 64 KiB that one file fills completely."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=0755", "tmpfs", path], check=True)
    try:
        with (path / "full").open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        yield
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


def test_full_file_system_of_the_runtime_directory_loses_only_the_counter(place):
    with full_file_system(place.runtime):
        text, status = run(place)

    assert status == 0, text
    assert "No space left on device (ENOSPC), counting notifications from 1" in text


def test_belfryctl_does_not_trust_a_directory_of_another_user(place, tmp_path):
    # Short, because the path of a socket has at most 107 bytes.
    shared = tmp_path / "s"
    shared.mkdir()
    shared.chmod(0o1777)
    directory = shared / "belfry-0"
    directory.mkdir()
    address = directory / "io.belfry.Lifecycle"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen()
        os.chown(directory, NOBODY, NOBODY)

        done = subprocess.run(
            [CONTROL, "status"], env={"RUNTIME_DIRECTORY": str(directory)}, capture_output=True, text=True, timeout=20
        )

    assert done.returncode == 77, done.stderr
    assert f"unable to connect to '{address}': its directory belongs to uid {NOBODY}" in done.stderr


def test_nonsense_in_the_environment_does_not_crash_the_service(place):
    marks = "\u0301\u0323" * 10_000
    hostile = {
        "WATCHDOG_USEC": "18446744073709551615",
        "FDSTORE": "-9223372036854775808",
        "MEMORY_PRESSURE_WATCH": "/dev/zero",
        "MEMORY_PRESSURE_WRITE": "=" * 60_000,
        "TRIGGER_UNIT": marks,
        "TRIGGER_PATH": marks,
        "JOURNAL_STREAM": marks,
        "TZ": ":" + marks,
        marks: marks,
    }

    text, status = run(place, **hostile)

    assert status == 0, text
