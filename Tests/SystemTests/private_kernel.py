# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A Linux of its own, as a process: what it does to its clock concerns nobody else."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from host_roots import CACHE

PACKAGE = "user-mode-linux"


def kernel() -> Path:
    """User-mode Linux from Debian, fetched once and kept below .build-hosts; nothing is installed."""
    CACHE.mkdir(exist_ok=True)
    folder = CACHE / "uml"
    program = folder / "usr/bin/linux.uml"
    with open(CACHE / "uml.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            subprocess.run(["apt-get", "--quiet", "download", PACKAGE], cwd=folder, check=True, capture_output=True)
            (archive,) = folder.glob("*.deb")
            subprocess.run(["dpkg-deb", "--extract", archive.name, "."], cwd=folder, check=True)
            archive.unlink()
    return program


def run(script: str, folder: Path, seconds: float = 90) -> str:
    """Boots the kernel on this machine's files, which it cannot write to, with `script` as its only program.

    Returns what it printed. It has /proc and /sys, and may write to /run; the end of the script is the end of all.
    """
    init = folder / "init"
    init.write_text(
        "#!/bin/sh\n"
        "export PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 SWIFT_BACKTRACE=enable=no\n"
        "mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /run\n"
        f"{script}\n"
        "echo o >/proc/sysrq-trigger; sleep 60\n"
    )
    init.chmod(0o755)
    root = ["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro"]
    console = ["quiet", "con=null", "con0=null,fd:1"]
    command = [str(kernel()), "mem=256M", *root, *console, f"init={init}"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": "/tmp"}
    done = subprocess.run(
        ["setpriv", "--pdeathsig", "KILL", *command],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    return done.stdout
