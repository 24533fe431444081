# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A client of the lifecycle socket."""

import json
import socket
from pathlib import Path


def call(method: str, more: bool = False, **parameters) -> bytes:
    message = {"method": f"io.belfry.Lifecycle.{method}", "parameters": parameters}
    return json.dumps(message | ({"more": True} if more else {}), separators=(",", ":")).encode()


class Client:
    def __init__(self, path: Path, limit: float = 60):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(limit)
        self._socket.connect(str(path))
        self._pending = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def call(self, message: bytes) -> dict:
        self._socket.sendall(message + b"\0")
        return self.receive()

    def receive(self) -> dict:
        """The next reply. An error reply raises RuntimeError."""
        frame = self.receive_frame()
        reply = json.loads(frame)
        if "error" in reply:
            raise RuntimeError(f"the service replied {frame.decode()}")
        return reply

    def receive_frame(self) -> bytes:
        """The bytes of the next reply, without the one that ends it."""
        while b"\0" not in self._pending:
            data = self._socket.recv(1 << 16)
            if not data:
                raise RuntimeError("the service closed the connection")
            self._pending += data
        frame, _, self._pending = self._pending.partition(b"\0")
        return frame
