# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The points at which a sweep disturbs belfryd: the system calls that it makes in a start, a restart, a reload and a stop."""

import signal
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from swept_service import SweptService

# The signals with a meaning for the service; 52 is SIGRTMIN+18. Some end it, with this exit status, and it goes on with
# others, and logs this.
ENDING = {"TERM": 0, "INT": 0, "QUIT": 131, "KILL": -signal.SIGKILL}
GOING_ON = {
    "HUP": "willReload",
    "TSTP": "didEnterBackground",
    "CONT": "didResume",
    "USR1": "flushRequested",
    "USR2": "statusRequested",
    "PWR": "powerFailing",
    "52": "control",
    "PIPE": "",
}
# What each call may fail with, by its manual page.
FILES = ["EMFILE", "ENFILE", "ENOMEM"]
ERRORS = {
    "accept4": ["EMFILE", "ENFILE", "ECONNABORTED", "ENOBUFS", "ENOMEM", "EINTR"],
    "bind": ["ENOMEM"],
    "epoll_create1": FILES,
    "epoll_ctl": ["ENOMEM", "ENOSPC"],
    "epoll_wait": ["EINTR"],
    "eventfd2": FILES,
    "fallocate": ["EIO", "EINTR"],
    "flock": ["ENOLCK"],
    "fsync": ["EIO", "ENOSPC"],
    "ftruncate": ["EIO"],
    "inotify_init1": FILES,
    "inotify_add_watch": ["ENOMEM", "ENOSPC"],
    "listen": ["ENOBUFS"],
    "memfd_create": FILES,
    "mkdir": ["EIO", "ENOMEM"],
    "mlock": ["ENOMEM", "EAGAIN"],
    "mmap": ["ENOMEM"],
    "openat": [*FILES, "EIO"],
    "pipe2": FILES,
    "read": ["EIO"],
    "rename": ["EIO", "ENOSPC"],
    "sendmsg": ["EAGAIN", "ENOBUFS", "ENOMEM"],
    "sendto": ["EAGAIN", "ENOBUFS", "ENOMEM"],
    "signalfd4": FILES,
    "socket": [*FILES, "ENOBUFS"],
    "timerfd_create": FILES,
    "write": ["EIO", "ENOSPC"],
}
BLOCKING = "rt_sigprocmask(SIG_SETMASK, ~["


@dataclass(frozen=True)
class Injection:
    """What happens once in a run: before the call of this name and number, or instead of it."""

    phase: str
    call: str
    number: int
    what: str
    line: str = field(default="", compare=False)

    @property
    def signal(self) -> str | None:
        return self.what.removeprefix("signal=") if self.what.startswith("signal=") else None

    def __str__(self) -> str:
        return f"{self.phase}:{self.call}:{self.number}:{self.what}"


# The phases. Each ends with the traced process, or when it has answered a client.


def begin(service: SweptService) -> None:
    """A subscriber that has connected again after a restart, with something to read."""
    service.start()
    service.subscribe()
    service.post()
    service.restart()
    service.subscriber.renew()


def start(service: SweptService, *strace: str) -> None:
    service.start()
    service.post()
    service.stop()
    service.discard_store()
    service.start(*strace)
    service.wait_until_idle()
    service.subscribe()
    service.post()


def restart(service: SweptService, *strace: str) -> None:
    service.start()
    service.subscribe()
    service.post()
    service.stop()
    service.start(*strace)
    service.wait_until_idle()
    service.post()


def reload(service: SweptService, *strace: str) -> None:
    begin(service)
    service.wait_until_idle()
    service.attach(*strace)
    service.post()
    service.call("Reload")


def stop(service: SweptService, *strace: str) -> None:
    begin(service)
    service.wait_until_idle()
    service.attach(*strace)
    service.post()
    service.send("SIGTERM")
    service.wait_for_end()


PHASES = {"start": start, "restart": restart, "reload": reload, "stop": stop}


def errors(name: str, line: str) -> list[str]:
    """What this call may fail with."""
    if name == "eventfd2" and "EFD_NONBLOCK" in line:
        # libdispatch makes it, and ends the process if it cannot. Belfry makes and closes one right before, to give the reason.
        return []
    if "EPOLL_CTL_DEL" in line:
        # It takes no memory and no descriptor.
        return []
    # Only what makes a file needs space for it. The files that are opened otherwise exist.
    return ERRORS.get(name, []) + (["ENOSPC"] if "O_EXCL" in line else [])


def points(phase: str) -> list[Injection]:
    """Every fault of a phase."""
    with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
        service = SweptService(Path(folder))
        try:
            PHASES[phase](service, "--trace=all")
            if service.status is None:
                service.detach()
            lines = service.traced()
        finally:
            service.close()
    # A phase that begins with a new process begins after the loader.
    first = next((n for n, line in enumerate(lines) if line.startswith(BLOCKING)), 0)
    found, seen = [], Counter()
    for number, line in enumerate(lines, 1):
        name = line.partition("(")[0]
        seen[name] += 1
        if number > first:
            faults = [f"signal={name}" for name in [*ENDING, *GOING_ON]]
            faults += [f"error={error}" for error in errors(name, line)]
            found += [Injection(phase, name, seen[name], fault, line) for fault in faults]
    return found
