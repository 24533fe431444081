# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""HTTP requests one after the other, counted by result: `http_load.py PORT PATH CLIENTS LENGTH`.

Each client makes a new connection for each request, and pauses only after a failure. A reply is good if it has LENGTH bytes. It
ends when standard input is closed, after the requests in flight, and prints the number of each result as JSON.
"""

import http.client
import json
import sys
import threading
from collections import Counter

port, path, clients, length = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
ended = threading.Event()
results: Counter[str] = Counter()


def request() -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    phase = ""
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        reply = connection.getresponse()
        phase = " within the reply"
        return "good" if reply.status == 200 and len(reply.read()) == length else f"status {reply.status}"
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__ + phase
    finally:
        connection.close()


def repeat() -> None:
    while not ended.is_set():
        result = request()
        results[result] += 1
        if result != "good":
            ended.wait(0.02)


threads = [threading.Thread(target=repeat) for _ in range(clients)]
for thread in threads:
    thread.start()
print("begun", flush=True)
sys.stdin.read()
ended.set()
for thread in threads:
    thread.join()
print(json.dumps(results))
