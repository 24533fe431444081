# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The service manager's end of sd_notify(3)."""

import socket

from .measure import Place


class NotifySocket:
    def __init__(self, place: Place):
        path = place.directory("notify") / "socket"
        self.environment = {"NOTIFY_SOCKET": str(path)}
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(10)

    def wait_for_ready(self) -> None:
        while "READY=1" not in self._socket.recv(4096).decode().splitlines():
            pass
