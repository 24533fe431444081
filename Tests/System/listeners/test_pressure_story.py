# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The recipe for memory pressure: a neighbour causes it, a cache is flushed, and a program stops the neighbour."""

import json
import os
import re
import subprocess
from contextlib import contextmanager
from pathlib import Path

import control_groups
import pytest
from belfry_service import CACHE_TAG, BelfryService
from documentation import code_block, commands
from hosted_unit import HostedUnit
from listener_unit import ListenerUnit
from memory_hog import LIMIT, uncached_file
from programs import running

WARNING = "didReceiveMemoryWarning"
PROGRAM = "/usr/local/lib/belfry/stop-backup"
LISTENER = "belfry-listener@stop-backup.service"
SLICE = "/etc/systemd/system/media.slice"
# Where the recipe puts its files, by their first line.
FILES = [
    ("ini", SLICE),
    ("ini", "/etc/systemd/system/belfryd.service.d/slice.conf"),
    ("ini", "/etc/belfry/belfry.conf.d/50-thumbnails.conf"),
    ("ini", "/etc/belfry/listeners.d/stop-backup.listener"),
    ("sh", PROGRAM),
    ("ini", f"/etc/systemd/system/{LISTENER}.d/override.conf"),
]
THUMBNAILS = "/var/cache/belfry/thumbnails"
# Begins when it is told, and reads its standard input over and over.
BACKUP = "until [ -e /run/backup ]; do sleep 0.02; done; while :; do cat /proc/self/fd/0 >/dev/null; done"


@pytest.fixture
def story(on_each):
    """Belfry with the files of the recipe; the listener is attached."""
    host = on_each.host
    for language, path in FILES:
        host.write(path, code_block(language, f"# {path}\n").replace("=2G", f"={LIMIT}"))
    host.run("sh", "-ec", f"install -d -o belfry {THUMBNAILS}; cd {THUMBNAILS}; echo '{CACHE_TAG}' >CACHEDIR.TAG;"
                          " seq 1200 | split -l 1 -a 4; chown belfry *")
    for command in commands(f"chmod +x {PROGRAM}"):
        host.run("sh", "-ec", command)
    listener = ListenerUnit(on_each, "stop-backup")
    listener.wait_until_attached()
    yield on_each
    for command in commands("rm -r /etc/belfry/listeners.d/stop-backup.listener"):
        host.run("sh", "-ec", command)
    host.run("rm", "-rf", THUMBNAILS, "/run/backup", SLICE)
    host.systemctl("stop", "media.slice")
    host.systemctl("daemon-reload")


@contextmanager
def backup(belfry: BelfryService):
    """A unit of its own in the slice, that reads more than the slice may keep in memory."""
    host = belfry.host
    limited = Path("/sys/fs/cgroup/memory") / f"{control_groups.PREFIX}{os.getpid()}-backup"
    try:
        with uncached_file("backup") as content:
            unit = ["systemd-run", "--quiet", "--pipe", "--unit=backup", "--slice=media", "sh", "-c", BACKUP]
            with running(host.enter(*unit), stdin=content, stdout=subprocess.DEVNULL):
                neighbour = HostedUnit(host, "backup.service")
                neighbour.wait_for(lambda: neighbour.main_pid() != 0, "start")
                if limited.parent.is_dir():
                    # Here another version of control groups counts memory, and MemoryHigh= has no effect.
                    limited.mkdir()
                    (limited / "memory.limit_in_bytes").write_text(str(LIMIT))
                    (limited / "cgroup.procs").write_text(str(neighbour.outer_pid()))
                host.write("/run/backup", "")
                yield
        host.systemctl("stop", "backup", check=False)
    finally:
        if limited.exists():
            control_groups.remove(limited)


def stalled(belfry: BelfryService, group: str) -> int:
    """How long processes of a control group have waited for memory, in microseconds."""
    return int(re.search(r"some .*total=(\d+)", belfry.host.path(f"/sys/fs/cgroup{group}/memory.pressure").read_text())[1])


def shape(line: str) -> str:
    """A line of `history` with time, number, durations and sizes replaced."""
    line = re.sub(r"^\S+ +\d+ ", "TIME NUMBER ", line)
    return re.sub(r"\d+ bytes", "SIZE", re.sub(r"\d+(\.\d+)? (us|ms|s)\b", "DURATION", line))


def test_pressure_by_a_neighbour_flushes_a_cache_and_runs_a_program_under_one_number(story):
    belfry, groups = story, ("/media.slice", story.property("ControlGroup"))
    before = [stalled(belfry, group) for group in groups]
    subscriber = belfry.subscribe(names=[WARNING])

    with backup(belfry):
        warning = subscriber.next()
        number = warning["sequence"]
        belfry.wait_for(lambda: any("BELFRY_TIMELINE" in r and r["BELFRY_SEQUENCE"] == str(number) for r in belfry.journal()),
                        "call its listeners")
        state = belfry.host.properties("backup", "ActiveState")

    # Those who wait are the neighbour's processes, and the program has ended them.
    slice_stalled, own_stalled = (stalled(belfry, group) - old for group, old in zip(groups, before))
    assert slice_stalled >= 200_000 > own_stalled
    assert (warning["userInfo"], warning["origin"]["kind"]) == ({"level": "some"}, "service")
    assert state == {"ActiveState": "inactive"}

    lines = belfry.ctl("history", WARNING, "--records", "--json").stdout.splitlines()
    linked = [entry for line in lines for kind, entry in json.loads(line).items() if entry["sequence"] == number]
    assert [(entry.get("listener"), entry.get("outcome")) for entry in linked] == [
        (None, None), ("cacheFlush", None), ("cacheFlush", None), ("cacheFlush", "completed"), ("stop-backup", "completed"),
    ]
    assert any("removed 200 of 1200 files" in entry["message"] for entry in linked[1:3])
    sample = f"{WARNING} --records"
    printed = belfry.host.run("sh", "-ec", *commands(sample)).stdout.splitlines()
    expected = code_block("console", sample).splitlines()[1:]
    assert [shape(line) for line in printed if line.split()[1] == str(number)] == [shape(line) for line in expected]

    records = belfry.host.journal(f"BELFRY_SEQUENCE={number}", f"_BOOT_ID={belfry.notifications()[-1]['_BOOT_ID']}")
    written = [record["MESSAGE"] for record in records if record["_SYSTEMD_UNIT"] == LISTENER]
    assert written == [f"stopping the backup because of {WARNING} {number}"]
