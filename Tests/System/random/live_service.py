# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A belfryd without systemd, in a private folder, and checks for what it must never do."""

import ctypes
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from belfry_service import CACHE_TAG
from bystanders import FORGED, GROWTH_OF_ONE, MIB, NOTICED, STOP, resident
from private_service import PrivateService
from soak_model import Fault
from varlink_client import VarlinkClient

# Every user may do everything, because the fuzzer does not run as root or as the service's own user if possible.
CONFIGURATION = """
[Service]
StopTimeout=2s
ListenerTimeout=1s
[Socket]
Look=all
Post=all
Control=all
[Cache fuzz]
Path={folder}/cache
FilesMax=10
"""
# Memory that may remain: past notifications, and what the allocator does not return.
REMAINS = 8 * MIB
# A line of the log. Continuation lines, such as the allocator's statistics, are indented.
LINE = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z [a-z]+ belfryd: |  ")


class LiveService(PrivateService):
    """A belfryd of the fuzzer's own."""

    def __init__(self, daemon: Path, folder: Path):
        super().__init__(folder, CONFIGURATION.format(folder=folder))
        self.output = folder / "output"
        (folder / "cache").mkdir()
        (folder / "cache/CACHEDIR.TAG").write_text(f"{CACHE_TAG}\n")
        folder.chmod(0o755)
        self.process = subprocess.Popen(
            [daemon, *self.options],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=open(self.output, "wb"),
            start_new_session=True,
        )
        self.read = 0
        deadline = time.monotonic() + 20
        while not self.path.exists() or "didBecomeActive" not in self.output.read_text(errors="replace"):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Fault(f"the service did not start: {self.output.read_text(errors='replace')}")
            time.sleep(0.02)
        self.path.chmod(0o666)
        self.before = resident(self.process.pid)

    def signal(self, name: str) -> None:
        os.kill(self.process.pid, signal.Signals[name])

    def control(self, value: int) -> None:
        """systemd's control convention: SIGRTMIN+18 with a value."""
        ctypes.CDLL(None).sigqueue(self.process.pid, signal.SIGRTMIN + 18, ctypes.c_void_p(value & 0xFFFFFFFF))

    def check(self) -> None:
        """Raises Fault if anything is wrong with the service."""
        begin = time.monotonic()
        try:
            with VarlinkClient(self.path) as client:
                client.call("GetState")
        except (OSError, EOFError) as failure:
            status = self.process.poll()
            raise Fault(f"GetState failed: {failure!r}, the service's exit status is {status}: {self.last_words()!r}") from failure
        took = time.monotonic() - begin
        if took > NOTICED:
            raise Fault(f"GetState took {took:.2f} s")
        if (grown := resident(self.process.pid) - self.before) > GROWTH_OF_ONE:
            raise Fault(f"the service has grown by {grown / MIB:.0f} MiB")
        self.check_output()

    def check_output(self) -> None:
        with open(self.output, "rb") as output:
            output.seek(self.read)
            lines = output.read().splitlines(keepends=True)
        for line in lines:
            if not line.endswith(b"\n"):
                break
            self.read += len(line)
            words = line[:-1].decode(errors="replace")
            begun = LINE.match(words) and not words.startswith(FORGED)
            if not begun or any(ord(c) < 32 for c in words):
                raise Fault(f"the service wrote {words[:300]!r}")

    def check_remains(self) -> None:
        """After all clients have gone."""
        deadline = time.monotonic() + 5
        while (held := resident(self.process.pid, "RssAnon")) > REMAINS:
            if time.monotonic() > deadline:
                raise Fault(f"{held / MIB:.0f} MiB remain after all have gone")
            self.check()
            time.sleep(0.05)

    def stop(self) -> None:
        self.signal("SIGTERM")
        try:
            status = self.process.wait(timeout=STOP)
        except subprocess.TimeoutExpired as late:
            raise Fault(f"the service did not exit within {STOP} s: {self.last_words()!r}") from late
        if status != 0:
            raise Fault(f"the service exited with {status}: {self.last_words()!r}")
        self.check_output()

    def last_words(self) -> str:
        return self.output.read_text(errors="replace")[-500:]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
