# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Lines sent one after the other, each on a new connection, to ports of the loopback address in turn: `line_load.py CLIENTS
PORT...`."""

import itertools
import socket
import sys
from collections.abc import Callable

from repeated_requests import repeat

clients, ports = int(sys.argv[1]), [int(port) for port in sys.argv[2:]]


def ask(port: int) -> str:
    try:
        # A client that neither is served nor refused within this time was left waiting.
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(b"which frame?\n")
            answer = b"".join(iter(lambda: connection.recv(100), b""))
        return "good" if answer.startswith(b"frame ") and answer.endswith(b"\n") else f"answer of {len(answer)} bytes"
    except OSError as error:
        return type(error).__name__


def client(first: int) -> Callable[[], str]:
    turn = itertools.cycle(ports[first:] + ports[:first])
    return lambda: ask(next(turn))


repeat([client(number % len(ports)) for number in range(clients)])
