# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""HTTP requests one after the other, each on a new connection: `http_load.py PORT PATH CLIENTS LENGTH`.

A reply is good if it has LENGTH bytes.
"""

import http.client
import sys

from repeated_requests import repeat


def request(port: int, path: str, length: int) -> str:
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


if __name__ == "__main__":
    port, path, clients, length = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    repeat([lambda: request(port, path, length)] * clients)
