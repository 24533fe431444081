# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A listener of a Belfry service in Python's standard library alone.

Varlink is JSON objects on a Unix socket, each ended by one NUL. `Attach` is answered many times and keeps its
connection busy, so that the answers go over a second one.
"""

import json
import socket
from collections.abc import Iterator

INTERFACE = "io.belfry.Lifecycle"


class ServiceError(Exception):
    """What the service says instead of an answer."""


class Connection:
    """One connection to the service."""

    def __init__(self, path: str):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.pending = b""

    def send(self, method: str, parameters: dict, **flags: bool) -> None:
        call = {"method": f"{INTERFACE}.{method}", "parameters": parameters, **flags}
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def receive(self) -> dict:
        while b"\0" not in self.pending:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError("the service has closed the connection")
            self.pending += data
        message, self.pending = self.pending.split(b"\0", 1)
        reply = json.loads(message)
        if "error" in reply:
            raise ServiceError(reply["error"], reply.get("parameters") or {})
        return reply.get("parameters") or {}


class Listener:
    """Takes part in the service's life under `name`, from now until the program ends or `close` is called."""

    def __init__(self, path: str, name: str, names: list[str], deadline: float = 10, follows: list[str] = ()):
        self.questions = Connection(path)
        self.answers = Connection(path)
        parameters = {
            "listener": name,
            "names": names,
            "follows": list(follows),
            "deadlineUsec": int(deadline * 1_000_000),
            "confirm": True,
        }
        self.questions.send("Attach", parameters, more=True)
        self.questions.receive()

    def __iter__(self) -> Iterator[tuple[str, dict]]:
        """Every notification with the token that its answer needs, until the service ends."""
        while True:
            try:
                question = self.questions.receive()
            except EOFError:
                return
            yield question["token"], question["notification"]

    def answer(self, token: str, outcome: str = "completed", reason: str | None = None) -> None:
        """completed, refused or failed; the service waits for it, though no longer than the deadline."""
        self.answers.send("Answer", {"token": token, "outcome": outcome, "reason": reason})
        self.answers.receive()

    def progress(self, token: str, text: str, within: float = 5) -> None:
        """Says that the answer gets on and that the next word comes `within` so many seconds; the stop waits for it."""
        self.answers.send("Progress", {"token": token, "text": text, "nextWithinUsec": int(within * 1_000_000)})
        self.answers.receive()

    def close(self) -> None:
        """What has not been answered counts as failed, and the service goes on without us."""
        self.questions.socket.close()
        self.answers.socket.close()
