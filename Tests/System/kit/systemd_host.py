# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A real systemd, booted as PID 1 of a container over an untouched root directory."""

import json
import os
import shutil
import signal
import subprocess
import time
import uuid
from contextlib import AbstractContextManager
from pathlib import Path

import control_groups
from host_roots import CACHE
from private_mounts import mount, unmount
from programs import running

CLEAN = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "SYSTEMD_COLORS": "0",
    "SYSTEMD_PAGER": "",
}


class SystemdHost:
    """A host that is booted by `boot`, used through `run` and other methods, and removed completely by `shut_down`.

    Needs root and a private mount namespace. It is killed with the test run, however that ends.
    """

    def __init__(self, name: str, lower: Path):
        self.name = name
        self.base = CACHE / f"{name}.mount"
        self.base.mkdir(parents=True, exist_ok=True)
        mount("tmpfs", "tmpfs", self.base)
        for folder in ("upper", "work", "root"):
            (self.base / folder).mkdir()
        self.root = self.base / "root"
        layers = f"lowerdir={lower},upperdir={self.base}/upper,workdir={self.base}/work"
        mount("overlay", "overlay", self.root, layers)
        self._mask_generators()
        self.groups: list[Path] = []
        self.supervisor: subprocess.Popen | None = None
        self.leader = 0

    def boot(self, target: str = "basic.target") -> None:
        """Boots to the target and returns when all jobs are finished."""
        self.begin_boot(target)
        self.finish_boot()

    def begin_boot(self, target: str = "basic.target") -> None:
        """The first half of `boot`, so that several hosts boot at once. It belongs into a thread that lives as long as the host."""
        self.groups = control_groups.make(self.name)
        enter = "".join(f"echo $$ >{group}/cgroup.procs; " for group in self.groups)
        nspawn = (
            f"exec setpriv --pdeathsig KILL systemd-nspawn -D {self.root} --machine={self.name}-{os.getpid()} --register=no"
            " --keep-unit --boot --console=read-only --link-journal=no --private-network"
            f" --uuid={uuid.uuid4()} systemd.unit={target}"
        )
        self.supervisor = subprocess.Popen(
            ["sh", "-c", enter + nspawn],
            env=CLEAN | {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
            stdin=subprocess.DEVNULL,
            stdout=open(self.base / "console", "wb"),
            stderr=subprocess.STDOUT,
        )

    def finish_boot(self) -> None:
        self.leader = self._eventually(self._find_leader, "start its systemd")
        self._eventually(self._is_up, "reach its target")
        needed = ["dbus.service", "systemd-logind.service"]
        if self.systemctl("start", *needed, check=False).returncode != 0:
            raise AssertionError(self.run("journalctl", "--no-pager", *[f"--unit={unit}" for unit in needed]).stdout)

    def shut_down(self) -> None:
        """Powers the host off, and kills it if that takes too long."""
        if self.supervisor and self.supervisor.poll() is None:
            if self.leader:
                os.kill(self.leader, signal.SIGRTMIN + 4)
            try:
                self.supervisor.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.supervisor.kill()
                self.supervisor.wait()
        for group in self.groups:
            control_groups.remove(group)
        unmount(self.root)
        unmount(self.base)

    def run(self, *command: str, check: bool = True, timeout: float = 60, **options) -> subprocess.CompletedProcess:
        """Runs a command in the host as root, in all its namespaces; raises with its output if it fails."""
        done = subprocess.run(
            self.enter(*command), env=CLEAN, capture_output=True, text=True, timeout=timeout, **options
        )
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(command)} exited {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def running(self, *command: str) -> AbstractContextManager[subprocess.Popen]:
        """A command in the host that runs during the test. nsenter forwards no signals, so it ends with its parent."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return running(self.enter("setpriv", "--pdeathsig", "KILL", *command), env=CLEAN, **pipes)

    def enter(self, *command: str) -> list[str]:
        """The command line that runs `command` in the host."""
        return ["nsenter", "-t", str(self.leader), "-m", "-p", "-u", "-i", "-n", "-C", *command]

    def systemctl(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        return self.run("systemctl", *arguments, **options)

    def properties(self, unit: str, *names: str) -> dict[str, str]:
        """Properties of a unit as `systemctl show` prints them."""
        lines = self.systemctl("show", unit, f"--property={','.join(names)}").stdout.splitlines()
        return dict(line.split("=", 1) for line in lines)

    def journal(self, *matches: str, after: str | None = None) -> list[dict]:
        """The journal records, oldest first, including all that were logged before the call."""
        self.run("journalctl", "--sync")
        cursor = [f"--after-cursor={after}"] if after else []
        lines = self.run("journalctl", "--output=json", "--all", "--no-pager", *cursor, *matches).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def keep_journal(self) -> None:
        """Call it before the boot: the journal is written to the disk, where `journal_left` finds it after the end."""
        (self.root / "var/log/journal").mkdir(parents=True, exist_ok=True)

    def wait_for_end(self, seconds: float = 60) -> None:
        """Returns when PID 1 of the host has ended, and prevents the next boot."""
        ending = Path(f"/proc/{self.leader}")
        self._eventually(lambda: not ending.exists(), "end", seconds)
        self.supervisor.kill()
        self.supervisor.wait()

    def boot_again(self, target: str = "basic.target") -> None:
        """Call it after the end: boots the host again from its disk."""
        for group in self.groups:
            control_groups.remove(group)
        self.boot(target)

    def reboot(self, target: str = "basic.target") -> None:
        self.systemctl("reboot")
        self.wait_for_end()
        self.boot_again(target)

    def wait_for_record(self, *matches: str) -> None:
        """Returns when the journal on the disk has such a record, also after the host has ended."""
        self._eventually(lambda: self.journal_left(*matches), f"write a record with {matches}")

    def journal_left(self, *matches: str) -> list[dict]:
        """The records in the journal on the disk, also after the host has ended."""
        folder = f"--directory={self.root}/var/log/journal"
        command = ["journalctl", folder, "--output=json", "--all", "--no-pager", *matches]
        done = subprocess.run(command, env=CLEAN, capture_output=True, text=True, check=True, timeout=60)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def path(self, inside: str) -> Path:
        """The path outside the host of a path inside it, including tmpfs mounts such as /run."""
        return Path(f"/proc/{self.leader}/root{inside}")

    def write(self, inside: str, text: str) -> None:
        """Writes a file in the host, and creates its folders."""
        path = self.path(inside)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def install(self, program: Path, inside: str) -> None:
        """Copies a program into the host, and creates its folders."""
        path = self.path(inside)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(program, path)
        path.chmod(0o755)

    def _mask_generators(self) -> None:
        """systemd's own look for disks, terminals and more that a container has not, at each of thousands of reloads."""
        masks = self.root / "etc/systemd/system-generators"
        masks.mkdir(exist_ok=True)
        for generator in (self.root / "usr/lib/systemd/system-generators").glob("systemd-*"):
            (masks / generator.name).symlink_to("/dev/null")

    def _find_leader(self) -> int:
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == self.supervisor.pid and (entry / "comm").read_text() == "systemd\n":
                    return int(entry.name)
            except (FileNotFoundError, ProcessLookupError):
                continue
        return 0

    def _is_up(self) -> bool:
        state = self.run("systemctl", "is-system-running", "--wait", check=False).stdout.strip()
        return state in ("running", "degraded")

    def _eventually(self, question, what: str, seconds: float = 90):
        deadline = time.monotonic() + seconds
        while not (answer := question()):
            if time.monotonic() > deadline or (self.supervisor.poll() is not None and not question()):
                console = (self.base / "console").read_text(errors="replace")
                raise AssertionError(f"host {self.name} was unable to {what}:\n{console}")
            time.sleep(0.05)
        return answer
