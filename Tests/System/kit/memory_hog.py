# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Pressure on memory: processes that read more than they may keep."""

import os
from contextlib import contextmanager
from pathlib import Path

import control_groups
from host_roots import CACHE
from programs import running_group

LIMIT = 8 << 20
SIZE = 64 << 20
# In the host they join the unit's group and read the file over and over; what does not fit has to be read again, which
# is what the kernel calls a stall. A single one waits for a twelfth of its time where the disk is fast, eight for most.
HOG = """
echo $$ >"/sys/fs/cgroup$0/cgroup.procs" || exit
exec 3<&0
for reader in 1 2 3 4 5 6 7 8; do
    while :; do cat /proc/self/fd/3 >/dev/null; done &
done
wait
"""


@contextmanager
def little_memory(belfry):
    """The command line in front of a process that may keep little, by whichever version counts memory here."""
    first = Path("/sys/fs/cgroup/memory")
    if not first.is_dir():
        limit = ["set-property", "--runtime", belfry.name]
        belfry.host.systemctl(*limit, f"MemoryHigh={LIMIT}")
        try:
            yield []
        finally:
            belfry.host.systemctl(*limit, "MemoryHigh=infinity")
        return
    group = first / f"{control_groups.PREFIX}{os.getpid()}-hog"
    group.mkdir()
    try:
        (group / "memory.limit_in_bytes").write_text(str(LIMIT))
        yield ["sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$@"', "sh"]
    finally:
        control_groups.remove(group)


@contextmanager
def uncached_file(name: str):
    """A file of `SIZE` bytes, none of which the kernel has in memory; opened for reading."""
    path = CACHE / f"{name}-{os.getpid()}"
    try:
        path.write_bytes(os.urandom(SIZE))
        with open(path, "rb") as file:
            os.fsync(file)
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            yield file
    finally:
        path.unlink()


@contextmanager
def hog(belfry):
    """Keeps the unit's group short of memory."""
    group = belfry.property("ControlGroup")
    with uncached_file("hog") as file, little_memory(belfry) as prefix:
        with running_group([*prefix, *belfry.host.enter("sh", "-c", HOG, group)], stdin=file):
            yield
