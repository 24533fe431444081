# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The flush of a cache with a million files."""

import os
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

from .client import Client, call
from .measure import Place, Row, Section, at_most
from .process import Process

DIRECTORIES, FILES, OLD = 1_000, 1_000, 100
REPETITIONS = 3
TIME_GOAL, MEMORY_GOAL_MB = 1.5, 64
DAY = 24 * 60 * 60
FLUSH, STATE = call("Post", name="flushRequested", wait=True), call("GetState")
CONFIGURATION = """\
[Service]
ListenerTimeout=infinity
[Logger]
Enabled=no
[Cache million]
Path={cache}
WriteBack=no
{limit}
"""


def _populate(cache: Path) -> None:
    """Makes the files that are missing. In each directory some are old."""
    old = time.time() - 60 * DAY
    for directory in range(DIRECTORIES):
        folder = cache / f"{directory}"
        folder.mkdir(exist_ok=True)
        for file in set(range(FILES)) - set(map(int, os.listdir(folder))):
            path = f"{folder}/{file}"
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
            if file < OLD:
                os.utime(path, (old, old))


def _seconds(command: list) -> float:
    began = time.monotonic()
    subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - began


class Service:
    """belfryd with the cache."""

    def __init__(self, place: Place, cache: Path, limit: str):
        self._directory = place.directory("belfryd")
        configuration = self._directory / "belfry.conf"
        configuration.write_text(CONFIGURATION.format(cache=cache, limit=limit))
        self._socket = self._directory / "socket"
        private = {"XDG_RUNTIME_DIR": str(self._directory), "XDG_STATE_HOME": str(self._directory)}
        self._process = Process(
            [place.built / "belfryd", "--config", configuration, "--socket", self._socket], private,
            log=self._directory / "log")

    def __enter__(self):
        self._process.__enter__().wait_for(self._socket)
        return self

    def __exit__(self, *_):
        self._process.__exit__()

    def flush(self) -> tuple[float, int]:
        """The time of a flush in seconds, and the number of files that it has removed."""
        with Client(self._socket, limit=600) as client:
            began = time.monotonic()
            reply = client.call(FLUSH)["parameters"]
            seconds = time.monotonic() - began
        report, = reply["reports"]
        assert report["outcome"] == "completed", report
        return seconds, report["details"]["caches"][0]["filesRemoved"]

    def longest_wait(self, work: Callable) -> tuple[float, Any]:
        """The longest time of a call of another client while `work` runs, in milliseconds, and the result of `work`."""
        longest = 0.0
        with ThreadPoolExecutor(1) as threads, Client(self._socket) as client:
            result = threads.submit(work)
            while not result.done():
                began = time.monotonic()
                client.call(STATE)
                longest = max(longest, time.monotonic() - began)
                time.sleep(0.001)
        return longest * 1000, result.result()

    @property
    def peak_megabytes(self) -> float:
        return self._process.status()["VmHWM"] / 1024


def cache_flush(place: Place) -> Section:
    cache = place.directory("cache")
    (cache / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    _populate(cache)
    find = ["find", cache, "-type", "f", "-printf", "%s %T@ %p\\n"]
    _seconds(find)

    ours, theirs = [], []
    with Service(place, cache, f"FilesMax={2 * DIRECTORIES * FILES}") as service:
        for _ in range(REPETITIONS):
            ours.append(service.flush()[0])
            theirs.append(_seconds(find))
        idle, _ = service.longest_wait(lambda: time.sleep(2))
        busy, _ = service.longest_wait(service.flush)
    look, found = median(ours), median(theirs)

    tmpfiles = place.directory("tmpfiles") / "million.conf"
    tmpfiles.write_text(f"d {cache} - - - m:30d\n")
    with Service(place, cache, "AgeMax=30d") as service:
        clean, removed = service.flush()
    assert removed == DIRECTORIES * OLD, removed
    _populate(cache)
    cleaned = _seconds(["systemd-tmpfiles", "--clean", tmpfiles])
    _populate(cache)
    with Service(place, cache, "FilesMax=0") as service:
        deleting, (whole, removed) = service.longest_wait(service.flush)
        assert removed == DIRECTORIES * FILES, removed
        peak = service.peak_megabytes

    return Section("Cache flush: 1,000,000 files in 1,000 directories", "how long a flush takes, and whether clients wait for it", [
        Row("nothing to delete, next to find", f"{look:.2f} s", f"find -printf {found:.2f} s", f"{look / found:.2f}x find",
            at_most(look / found, TIME_GOAL, "x")),
        Row("100,000 old files to delete", f"{clean:.2f} s", f"systemd-tmpfiles --clean {cleaned:.2f} s",
            f"{clean / cleaned:.2f}x systemd-tmpfiles"),
        Row("all files to delete", f"{whole:.2f} s"),
        Row("peak memory", f"{peak:.1f} MB", goal=at_most(peak, MEMORY_GOAL_MB, " MB")),
        Row("longest wait of another client", f"{busy:.1f} ms", f"without a flush {idle:.1f} ms"),
        Row("the same while all files are deleted", f"{deleting:.1f} ms"),
    ])
