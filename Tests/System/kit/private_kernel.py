# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A separate Linux kernel on an emulated processor, whose clock a test may set."""

import fcntl
import re
import shutil
import stat
import subprocess
from collections.abc import Iterable
from pathlib import Path

from host_roots import CACHE

PACKAGE = "linux-image-cloud-amd64"
# The oldest 64-bit processor that QEMU emulates, so that the machine's own processor does not matter.
PROCESSOR = "qemu64"
PROGRAMS = ["dash", "cat", "date", "mkfifo", "mount", "sed"]
FOLDERS = ["dev", "proc", "run", "sys", "tmp"]


def kernel() -> Path:
    """Debian's kernel, downloaded once and cached below .build-hosts; nothing is installed."""
    CACHE.mkdir(exist_ok=True)
    folder = CACHE / "kernel"
    complete = CACHE / "kernel.complete"
    with open(CACHE / "kernel.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            subprocess.run(["apt-get", "--quiet", "download", newest()], cwd=folder, check=True, capture_output=True)
            (archive,) = folder.glob("*.deb")
            subprocess.run(["dpkg-deb", "--extract", archive.name, "."], cwd=folder, check=True)
            archive.unlink()
            # It has all needed drivers built in.
            shutil.rmtree(folder / "lib")
            complete.touch()
    (image,) = folder.glob("boot/vmlinuz-*")
    return image


def newest() -> str:
    """The package that holds the kernel of the metapackage."""
    depends = subprocess.run(["apt-cache", "depends", PACKAGE], check=True, capture_output=True, text=True).stdout
    return re.search(r"Depends: (linux-image-\S+)", depends)[1]


def libraries(program: Path) -> list[Path]:
    """The dynamic linker and every library that the program loads."""
    listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", listed)]


def entry(path: str, mode: int, content: bytes = b"") -> bytes:
    """A file or folder of an initial file system: cpio's format `newc` (kernel: driver-api/early-userspace/buffer-format)."""
    name = path.encode() + b"\0"
    fields = [0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0]
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name
    return head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4)


def file_system(script: str, programs: Iterable[Path]) -> bytes:
    """The programs with their libraries, where they are here, and `script` as the first program."""
    files = {path for program in programs for path in [program, *libraries(program)]}
    folders = {parent for path in files for parent in path.parents[:-1]} | {Path("/") / name for name in FOLDERS}
    entries = [entry(str(folder)[1:], stat.S_IFDIR | 0o755) for folder in sorted(folders)]
    entries += [entry(str(path)[1:], stat.S_IFREG | 0o755, path.read_bytes()) for path in files]
    entries += [entry("init", stat.S_IFREG | 0o755, script.encode()), entry("TRAILER!!!", 0)]
    return b"".join(entries)


def run(script: str, folder: Path, programs: list[Path], seconds: float = 300) -> str:
    """Boots the kernel in memory with `script` as its only program, which may call PROGRAMS and `programs`.

    Returns what it printed. The script has /proc, /sys and /dev, and may write to /run. The kernel powers off at its end.
    """
    init = (
        "#!/usr/bin/dash\n"
        "export PATH=/usr/bin LANG=C.UTF-8 SWIFT_BACKTRACE=enable=no\n"
        "mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmpfs /run\n"
        f"{script}\n"
        "echo b >/proc/sysrq-trigger; read -r nothing\n"
    )
    initial = folder / "initial.cpio"
    initial.write_bytes(file_system(init, [*(Path("/usr/bin") / name for name in PROGRAMS), *programs]))
    # Under emulation the kernel may find its timer slow and give it up; with -no-reboot a panic and the last line end it.
    arguments = "console=ttyS0 quiet no_timer_check panic=-1"
    machine = ["-machine", "q35", "-accel", "tcg", "-cpu", PROCESSOR, "-m", "512", "-no-reboot"]
    devices = ["-no-user-config", "-nodefaults", "-display", "none", "-serial", "stdio"]
    boot = ["-kernel", str(kernel()), "-initrd", str(initial), "-append", arguments]
    done = subprocess.run(
        ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", *machine, *devices, *boot],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
    )
    return done.stdout + done.stderr
