# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A FleetLock server, written from the text of the protocol (coreos/zincati, docs/development/fleetlock/protocol.md)."""

import json
import re
import ssl
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock

from fleet_network import ADDRESS, FleetNetwork

BASE = "/base"
LOCK, UNLOCK = "/v1/pre-reboot", "/v1/steady-state"


class FleetLockServer:
    """A semaphore for each group, at an address in the network. Tests change `slots`, and what it answers.

    `requests` has each valid request: LOCK or UNLOCK, the group and the id of the client. `most` has the most holders that
    each group ever had.
    """

    def __init__(self, network: FleetNetwork, slots: int = 1, port: int = 8080, tls: ssl.SSLContext | None = None):
        self.slots = slots
        self.holders: dict[str, set[str]] = {}
        self.most: dict[str, int] = {}
        self.requests: list[tuple[str, str, str]] = []
        # What was no request of the protocol.
        self.faults: list[str] = []
        # Answers, status and body, that come before the right ones.
        self.answers: deque[tuple[int, bytes]] = deque()
        # When it is cleared, requests wait for their answer.
        self.answering = Event()
        self.answering.set()
        self.lock = Lock()
        self.server: ThreadingHTTPServer = network.call(lambda: self._listen(port, tls)).result(timeout=20)
        self.ended = network.call(self.server.serve_forever)
        self.url = f"{'https' if tls else 'http'}://{ADDRESS}:{port}{BASE}"

    def close(self) -> None:
        self.answering.set()
        self.server.shutdown()
        self.ended.result(timeout=20)
        self.server.server_close()

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer to a POST."""
        with self.lock:
            if headers.get("fleet-lock-protocol") != "true":
                return self._fault("missing_header", f"{path} without fleet-lock-protocol: true, with {headers}")
            if path not in (BASE + LOCK, BASE + UNLOCK):
                return self._fault("unknown_endpoint", path)
            try:
                parameters = json.loads(body)["client_params"]
                name, group = parameters["id"], parameters["group"]
                valid = name and re.fullmatch("[a-zA-Z0-9.-]+", group)
            except (ValueError, KeyError, TypeError):
                valid = False
            if not valid:
                return self._fault("invalid_body", body.decode(errors="replace"))
            operation = path.removeprefix(BASE)
            self.requests.append((operation, group, name))
            if self.answers:
                return self.answers.popleft()
            holders = self.holders.setdefault(group, set())
            if operation == UNLOCK:
                holders.discard(name)
            elif name not in holders and len(holders) >= self.slots:
                return _error(409, "failed_lock", "semaphore currently full, all slots are locked already")
            else:
                holders.add(name)
                self.most[group] = max(self.most.get(group, 0), len(holders))
            return 200, b""

    def _fault(self, kind: str, what: str) -> tuple[int, bytes]:
        self.faults.append(f"{kind}: {what}")
        return _error(400, kind, what)

    def _listen(self, port: int, tls: ssl.SSLContext | None) -> ThreadingHTTPServer:
        locks = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                locks.answering.wait()
                headers = {name.lower(): value for name, value in self.headers.items()}
                status, answer = locks.answer(self.path, headers, body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_) -> None:
                pass

        server = ThreadingHTTPServer((ADDRESS, port), Handler)
        server.daemon_threads = True
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        return server


def _error(status: int, kind: str, value: str) -> tuple[int, bytes]:
    return status, json.dumps({"kind": kind, "value": value}).encode()
