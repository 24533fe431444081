# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Commands to a Redis, one after the other on each connection: `redis_load.py CLIENTS COMMAND...`.

A reply is good if it is not an error.
"""

import socket
import sys

from repeated_requests import repeat

clients, command = int(sys.argv[1]), sys.argv[2:]


class Client:
    """A connection, made again after an error."""

    connection: socket.socket | None = None

    def request(self) -> str:
        try:
            self.connection = self.connection or socket.create_connection(("127.0.0.1", 6379), timeout=30)
            self.connection.sendall(f"{' '.join(command)}\r\n".encode())
            reply = b""
            while not reply.endswith(b"\r\n"):
                more = self.connection.recv(4096)
                if not more:
                    raise ConnectionResetError
                reply += more
            return "good" if not reply.startswith(b"-") else reply.decode().strip()
        except OSError as error:
            if self.connection:
                self.connection.close()
            self.connection = None
            return type(error).__name__


repeat([Client().request for _ in range(clients)])
