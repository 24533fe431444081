# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Requests that clients repeat, counted by result, for the programs that make them."""

import json
import sys
import threading
from collections import Counter
from collections.abc import Callable


def repeat(clients: list[Callable[[], str]]) -> None:
    """Each client makes its request again and again, and pauses only after a result that is not "good". It ends when standard
    input is closed, after the requests in flight, and prints the number of each result as JSON."""
    ended = threading.Event()
    results: Counter[str] = Counter()
    lock = threading.Lock()

    def run(request: Callable[[], str]) -> None:
        while not ended.is_set():
            result = request()
            with lock:
                results[result] += 1
            if result != "good":
                ended.wait(0.02)

    threads = [threading.Thread(target=run, args=[request]) for request in clients]
    for thread in threads:
        thread.start()
    print("begun", flush=True)
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join()
    print(json.dumps(results))
