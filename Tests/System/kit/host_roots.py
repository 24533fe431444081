# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The root directories of the two test hosts: this machine's own files, and a Debian with a newer systemd."""

import fcntl
import shutil
import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
KIT = PROJECT / "Tests/System/kit"
CACHE = PROJECT / ".build-hosts"
PACKAGES = "systemd,systemd-sysv,dbus,libpam-systemd,polkitd,python3,nginx,redis-server,postgresql,haproxy,socat,sudo,curl"
# What a test can install in a host, which has no network: a message bus for users.
DOWNLOADED = "dbus-user-session"
# Without it, mmdebstrap reads the archive of security updates besides.
MIRROR = "http://deb.debian.org/debian"


def run(command: list) -> None:
    """Runs a command without its output."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def machine_root() -> Path:
    """The machine's own root directory; the host is an overlay over it and writes nothing to it."""
    return Path("/")


def debian_root(suite: str) -> Path:
    """The root directory of a minimal Debian, created once and cached below .build-hosts."""
    CACHE.mkdir(exist_ok=True)
    root = CACHE / suite
    packages = f"{PACKAGES};{DOWNLOADED}"
    complete = CACHE / f"{suite}.complete"
    with open(CACHE / f"{suite}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # It lists the packages, so that a change of them creates the root again.
        if not complete.exists() or complete.read_text() != packages:
            complete.unlink(missing_ok=True)
            shutil.rmtree(root, ignore_errors=True)
            download = f"apt-get clean && apt-get --yes --no-install-recommends --download-only install {DOWNLOADED}"
            hook = f"--customize-hook=chroot \"$1\" sh -c '{download}'"
            options = ["--quiet", "--mode=root", "--variant=minbase", f"--include={PACKAGES}", hook, "--skip=cleanup/apt"]
            run(["mmdebstrap", *options, suite, root, MIRROR])
            complete.write_text(packages)
    return root


# The root directories by the names of the hosts.
ROOTS = {"machine": machine_root, "trixie": lambda: debian_root("trixie")}
