# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A service of a host, seen from outside: systemctl, the journal and /proc."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from programs import running
from systemd_host import SystemdHost


class HostedUnit:
    """A unit as tests use it. `journal` shows the records since the last `skip_old_records`."""

    def __init__(self, host: SystemdHost, name: str):
        self.host = host
        self.name = name
        self.cursor: str | None = None

    def skip_old_records(self) -> None:
        """From now on `journal` shows new records only."""
        # journalctl of systemd 252 leaves out the first match after a cursor that does not match itself.
        last = self.host.journal(f"--unit={self.name}", "--lines=1") or self.host.journal("--lines=1")
        self.cursor = last[-1]["__CURSOR"]

    def kill(self, signal: str) -> None:
        """`systemctl kill`, so that the sender is the host's PID 1."""
        self.host.systemctl("kill", "--kill-who=main", f"--signal={signal}", self.name)

    def properties(self, *names: str) -> dict[str, str]:
        return self.host.properties(self.name, *names)

    def property(self, name: str) -> str:
        return self.properties(name)[name]

    def main_pid(self) -> int:
        """The id of the main process in the host."""
        return int(self.property("MainPID"))

    def outer_pid(self) -> int:
        """The id of the main process outside the host."""
        inner = str(self.main_pid())
        namespace = os.readlink(f"/proc/{self.host.leader}/ns/pid")
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                pids = next(line for line in status.read_text().splitlines() if line.startswith("NSpid:")).split()
                if pids[-1] == inner and os.readlink(status.parent / "ns/pid") == namespace:
                    return int(status.parent.name)
            except (FileNotFoundError, ProcessLookupError, StopIteration):
                continue
        raise AssertionError(f"no process has the pid {inner} inside")

    def process_names(self) -> list[str]:
        """The names of all processes of the unit, below its own control group too."""
        # A group may be removed, and a process end, between the listing and the reading.
        names = []
        for folder, _, _ in os.walk(self.host.path(f"/sys/fs/cgroup{self.property('ControlGroup')}")):
            with suppress(OSError):
                for pid in Path(folder, "cgroup.procs").read_text().split():
                    with suppress(FileNotFoundError, ProcessLookupError):
                        names.append(Path(f"/proc/{pid}/comm").read_text().strip())
        return sorted(names)

    def process(self, name: str) -> str:
        """A file of the main process's folder in the host's /proc."""
        return self.host.run("cat", f"/proc/{self.main_pid()}/{name}").stdout

    def process_status(self) -> dict[str, str]:
        """The lines of proc_pid_status(5)."""
        return dict(line.split(":", 1) for line in self.process("status").splitlines())

    def footprint(self) -> dict[str, int]:
        """The resources of the main process: anonymous memory in KiB, descriptors, threads."""
        status = self.process_status()
        descriptors = self.host.run("ls", f"/proc/{self.main_pid()}/fd").stdout.split()
        return {
            "RssAnon": int(status["RssAnon"].split()[0]),
            "descriptors": len(descriptors),
            "threads": int(status["Threads"]),
        }

    def journal(self) -> list[dict]:
        """The records of the unit, those of systemd about it included."""
        return self.host.journal(f"--unit={self.name}", after=self.cursor)

    def messages(self) -> list[str]:
        return [record["MESSAGE"] for record in self.journal()]

    def wait_for(self, question: Callable[[], bool], what: str, seconds: float = 30) -> None:
        """Polls until the answer is yes, where systemd offers no event."""
        deadline = time.monotonic() + seconds
        while not question():
            assert time.monotonic() < deadline, (
                f"{self.name} did not {what} in {seconds} s, but logged {self.messages()[-20:]}"
            )
            time.sleep(0.05)

    @contextmanager
    def traced(self, *options: str) -> Iterator[subprocess.Popen]:
        """Runs strace with these options on all threads of the main process. It prints on standard error."""
        pid = str(self.outer_pid())
        status = Path(f"/proc/{pid}/status")
        command = ["strace", "-f", "-qq", "--signal=none", *options, "-p", pid]
        with running(command, stderr=subprocess.PIPE) as strace:
            self.wait_for(lambda: "TracerPid:\t0\n" not in status.read_text(), "be traced")
            yield strace

    def wait_until_inactive(self) -> None:
        """Returns when systemd has seen the service end."""
        self.wait_for(lambda: self.property("ActiveState") in ("inactive", "failed"), "end")

    def wait_until_stopped(self) -> None:
        """Returns when the main process is stopped, as by SIGSTOP (proc_pid_stat(5))."""
        self.wait_for(lambda: self.process("stat").rpartition(")")[2].split()[0] == "T", "come to a stop")
