# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A FleetLock server for tests: python3 lease_server.py [--port P] [--slots N] [--certificate FILE --key FILE]

It follows docs/development/fleetlock/protocol.md of coreos/zincati, and holds the leases in memory. It prints its port, and then each
request: `pre-reboot GROUP ID STATUS`. Some groups have answers of their own, see `Handler.misbehave`.
"""

import argparse
import json
import re
import ssl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STEPS = {"/base/v1/pre-reboot": "pre-reboot", "/base/v1/steady-state": "steady-state"}
BYTES_WITHOUT_END = 1 << 30


class Handler(BaseHTTPRequestHandler):
    holders: dict[str, set[str]] = {}
    requests: dict[str, int] = {}
    slots = 1

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        step = STEPS.get(self.path)
        if step is None:
            return self.answer(404, "not_found", self.path)
        if self.headers.get("fleet-lock-protocol") != "true":
            return self.answer(400, "missing_header", "fleet-lock-protocol")
        try:
            client = json.loads(body)["client_params"]
            group, identity = client["group"], client["id"]
        except (ValueError, KeyError, TypeError):
            return self.answer(400, "bad_body", "")
        if not re.fullmatch("[a-zA-Z0-9.-]+", group) or not identity:
            return self.answer(400, "bad_client_params", "")
        self.subject = f"{step} {group} {identity}"
        if not self.misbehave(group):
            self.decide(step, group, identity)

    def decide(self, step, group, identity):
        holders = self.holders.setdefault(group, set())
        if step == "steady-state":
            holders.discard(identity)
        elif identity not in holders and len(holders) >= self.slots:
            return self.answer(409, "failed_lock", "semaphore currently full, all slots are locked already")
        else:
            holders.add(identity)
        self.answer(200)

    def misbehave(self, group):
        """Answers for groups that are tests of their own, and says whether it did."""
        count = self.requests[group] = self.requests.get(group, 0) + 1
        if group == "conflict" and count <= 2:
            self.answer(500, "failed_lock", "conflicting key")
        elif group == "error":
            self.answer(503, "internal_error", "no\nquorum")
        elif group == "empty-error":
            self.answer(502)
        elif group == "created":
            self.answer(201)
        elif group == "redirect":
            self.answer(307, location="file:///etc/passwd")
        elif group == "rubbish":
            self.wfile.write(b"\xff\xfe rubbish\r\n\r\n")
        elif group == "close":
            self.close_connection = True
        elif group == "stall":
            self.wfile.write(b"HTTP/1.1 200 ")
            self.wfile.flush()
            # The rest never comes: until the client closes the connection.
            self.rfile.read()
        elif group == "long":
            self.endless(b"HTTP/1.1 500 Long\r\n\r\n", b"x" * 4096)
        elif group == "headers":
            self.endless(b"HTTP/1.1 200 OK\r\n", b"x: " + b"y" * 4000 + b"\r\n")
        else:
            return False
        return True

    def endless(self, beginning, more):
        try:
            self.wfile.write(beginning)
            for _ in range(BYTES_WITHOUT_END // len(more)):
                self.wfile.write(more)
        except OSError:
            self.close_connection = True

    def answer(self, status, kind=None, value="", location=None):
        print(getattr(self, "subject", self.path), status, flush=True)
        body = json.dumps({"kind": kind, "value": value}).encode() if kind else b""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing besides the requests."""


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--address", default="127.0.0.1")
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--slots", type=int, default=1)
    options.add_argument("--certificate")
    options.add_argument("--key")
    chosen = options.parse_args()
    Handler.slots = chosen.slots
    server = ThreadingHTTPServer((chosen.address, chosen.port), Handler)
    server.daemon_threads = True
    if chosen.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chosen.certificate, chosen.key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
