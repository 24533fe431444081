# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Lines sent one after the other to a port of the loopback address, counted by result: `line_load.py CLIENTS PORT...`.

Each client makes a new connection for each line, to each port in turn, and pauses only after a failure. It ends when standard
input is closed, after the lines in flight, and prints the number of each result as JSON.
"""

import itertools
import json
import socket
import sys
import threading
from collections import Counter

clients, ports = int(sys.argv[1]), [int(port) for port in sys.argv[2:]]
ended = threading.Event()
results: Counter[str] = Counter()
lock = threading.Lock()


def ask(port: int) -> str:
    try:
        # A client that neither is served nor refused within this time was left waiting.
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(b"which frame?\n")
            answer = b"".join(iter(lambda: connection.recv(100), b""))
        return "good" if answer.startswith(b"frame ") and answer.endswith(b"\n") else f"answer of {len(answer)} bytes"
    except OSError as error:
        return type(error).__name__


def repeat(first: int) -> None:
    for port in itertools.cycle(ports[first:] + ports[:first]):
        if ended.is_set():
            return
        result = ask(port)
        with lock:
            results[result] += 1
        if result != "good":
            ended.wait(0.02)


threads = [threading.Thread(target=repeat, args=[number % len(ports)]) for number in range(clients)]
for thread in threads:
    thread.start()
print("begun", flush=True)
sys.stdin.read()
ended.set()
for thread in threads:
    thread.join()
print(json.dumps(results))
