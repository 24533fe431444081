# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The manager's end of sd_notify(3)."""

import socket

from .measure import Place


class NotifySocket:
    def __init__(self, place: Place):
        self.path = place.directory("notify") / "socket"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self.path))
        self._socket.settimeout(10)

    @property
    def environment(self) -> dict:
        return {"NOTIFY_SOCKET": str(self.path)}

    def wait_for_ready(self) -> None:
        while "READY=1" not in self._socket.recv(4096).decode().splitlines():
            pass

    def drain(self) -> None:
        """Drops what is still queued, such as the good-byes of a process that has ended."""
        self._socket.setblocking(False)
        try:
            while True:
                self._socket.recv(4096)
        except BlockingIOError:
            self._socket.settimeout(10)
