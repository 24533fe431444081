# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""HTTP requests to endpoints that are looked up late: `endpoint_load.py FILE SECONDS CLIENTS LENGTH`.

Each client takes the ports in FILE in turn, and reads the file only every SECONDS, as a client does that keeps the addresses of a
name. A reply is good if it has LENGTH bytes.
"""

import sys
import time
from pathlib import Path

from http_load import request
from repeated_requests import repeat

endpoints, seconds, clients, length = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])


class Client:
    def __init__(self):
        self.ports: list[str] = []
        self.looked_up: float | None = None

    def __call__(self) -> str:
        now = time.monotonic()
        if self.looked_up is None or now - self.looked_up >= seconds:
            self.ports, self.looked_up = endpoints.read_text().split(), now
        self.ports.append(self.ports.pop(0))
        return request(int(self.ports[-1]), "/", length)


repeat([Client() for _ in range(clients)])
