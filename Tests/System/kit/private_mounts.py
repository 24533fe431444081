# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A private mount namespace of the test run: its mounts end with it, even after kill -9."""

import ctypes
import os

CLONE_NEWNS = 0x00020000
MS_REC = 0x4000
MS_PRIVATE = 1 << 18

libc = ctypes.CDLL(None, use_errno=True)


def enter_private_mounts() -> None:
    """Moves this process into a new mount namespace from which nothing propagates to the machine."""
    _check(libc.unshare(CLONE_NEWNS), "unshare")
    _check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "mount")


def mount(kind: str, source: str, target: os.PathLike, options: str = "") -> None:
    arguments = (source.encode(), os.fsencode(target), kind.encode(), 0, options.encode() or None)
    _check(libc.mount(*arguments), f"mount {kind} on {target}")


def unmount(target: os.PathLike) -> None:
    MNT_DETACH = 2
    _check(libc.umount2(os.fsencode(target), MNT_DETACH), f"unmount {target}")


def _check(result: int, what: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"unable to {what}: {os.strerror(error)}")
