# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Where the two test hosts come from: this machine's own files, and a Debian with a newer systemd."""

import fcntl
import shutil
import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CACHE = PROJECT / ".build-hosts"


def machine_root() -> Path:
    """The machine's own root directory; a host is an overlay over it and writes nothing to it."""
    return Path("/")


def debian_root(suite: str) -> Path:
    """The root directory of a minimal Debian, made once and kept below .build-hosts."""
    CACHE.mkdir(exist_ok=True)
    root = CACHE / suite
    complete = CACHE / f"{suite}.complete"
    with open(CACHE / f"{suite}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(root, ignore_errors=True)
            packages = "systemd,systemd-sysv,dbus,libpam-systemd"
            subprocess.run(
                ["debootstrap", "--variant=minbase", f"--include={packages}", suite, str(root)],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            complete.touch()
    return root
