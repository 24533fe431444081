# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Many hostile clients at once: users who are nobody, members of the service's group, one user or fifty."""

import json
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory

from belfry_service import BelfryService

SOURCE = Path(__file__).with_name("hostile_clients.c")
# Users of the hostile clients; the bystanders are others.
FIRST = 40001


def call(method: str, parameters: dict | None = None, **flags) -> bytes:
    """A request as it is sent; `method` may omit the interface io.belfry.Lifecycle."""
    name = method if "." in method else f"io.belfry.Lifecycle.{method}"
    return json.dumps({"method": name, "parameters": parameters or {}, **flags}, ensure_ascii=False).encode() + b"\0"


def raw_call(method: str, parameters: bytes, extra: bytes = b"") -> bytes:
    """A request with parameters as text, without the braces."""
    name = method if "." in method else f"io.belfry.Lifecycle.{method}"
    return b'{"method":"%s","parameters":{%s}%s}\0' % (name.encode(), parameters, extra)


class HostileClients(AbstractContextManager):
    """Clients that have sent `payloads` when the block begins, and disconnect when it ends.

    There are `connections` in total, from `users` different users, who are members of the service's group if `privileged`.
    Each connection sends one of the payloads, `rounds` times: on the same connection, or with `anew` on a new one each
    time. Unless they `read`, all replies stay in the kernel.
    """

    def __init__(
        self,
        belfry: BelfryService,
        payloads: list[bytes],
        connections: int = 1,
        *,
        users: int = 1,
        rounds: int = 1,
        privileged: bool = False,
        read: bool = False,
        anew: bool = False,
    ):
        self.folder = TemporaryDirectory(prefix="hostile-clients-")
        program = Path(self.folder.name) / "clients"
        subprocess.run(["gcc", "-O2", "-o", program, SOURCE], check=True)
        files = []
        for number, payload in enumerate(payloads):
            files.append(Path(self.folder.name) / str(number))
            files[-1].write_bytes(payload)
        group = belfry.group() if privileged else 0
        mode = ("r" if read else "") + ("c" if anew else "") or "-"
        path = belfry.socket_path()
        # In the host's network, so that the sockets can be told from those of other hosts (see socket_memory.py).
        enter = ["nsenter", f"--net=/proc/{belfry.host.leader}/ns/net"]
        numbers = [FIRST, FIRST + users - 1, group, connections, rounds]
        self.program = subprocess.Popen(
            [*enter, program, path.name, *(str(number) for number in numbers), mode, *files],
            cwd=path.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> dict:
        """Their results: how many `connected`, were `refused` or `closed`, and what they `sent` and received."""
        try:
            line = self.program.stdout.readline()
            assert line, f"the hostile clients ended with {self.program.wait()}"
            return json.loads(line)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_) -> None:
        self.program.stdin.close()
        try:
            self.program.wait(timeout=20)
        finally:
            self.program.kill()
            self.program.wait()
            self.program.stdout.close()
            self.folder.cleanup()


def assail(belfry: BelfryService, payloads: list[bytes], connections: int = 1, **options) -> dict:
    """Hostile clients that do it once and disconnect; returns their results."""
    with HostileClients(belfry, payloads, connections, **options) as done:
        return done
