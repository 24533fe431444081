# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""One of two HTTP servers stops while HAProxy, whose checks run every two seconds, and clients that look up endpoints every two
seconds send requests to both: with a quiet period none fails. The figures are at the end of the output."""

import time
from pathlib import Path

import pytest
from host_roots import PROJECT
from load import PORT, load, requests
from probe_service import PROGRAM

# The server that stops, and one that stays.
STOPS, STAYS = 8081, 8082
QUIET_SECONDS, LOOK_UP_SECONDS = 5, 2
# An answer that no quiet period ends: the share of the answer, which is twice as long, less a tenth.
LONGEST_SECONDS = 9
CTL = ["belfryctl", "--socket", "/run/belfry-probe/io.belfry.Lifecycle"]
ALONE = PROJECT / "Examples/NIOService/.build/release/ApplicationAlone"
CONFIGURATION = f"""
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  # Each failure counts.
  retries 0
frontend web
  bind 127.0.0.1:{PORT}
  http-request return status 200 content-type text/plain lf-string "%[nbsrv(servers)]" if {{ path /servers }}
  default_backend servers
backend servers
  option httpchk GET /readyz
  default-server check inter 2s fall 2
  server stops 127.0.0.1:{STOPS}
  server stays 127.0.0.1:{STAYS}
"""
OTHER_SERVER = f"""
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Hello(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"hello\\n")
    def log_message(self, *_): pass
class Server(ThreadingHTTPServer):
    request_queue_size = 128
    # HAProxy ends the connection of a check early.
    def handle_error(self, *_): pass
server = Server(("127.0.0.1", {STAYS}), Hello)
print("ready", flush=True)
server.serve_forever()
"""


class Endpoints:
    """The list that clients look up."""

    def __init__(self, folder: Path):
        self.path = folder / "endpoints"
        self.set(STOPS, STAYS)

    def set(self, *ports: int) -> None:
        new = self.path.with_suffix(".new")
        new.write_text(" ".join(map(str, ports)))
        new.rename(self.path)


@pytest.fixture
def endpoints(tmp_path):
    return Endpoints(tmp_path)


@pytest.fixture
def other(probe):
    """The server that stays."""
    with probe.host.running("python3", "-c", OTHER_SERVER) as other:
        assert other.stdout.readline() == "ready\n"
        yield other


def get(probe, port: int, path: str) -> str:
    """The status and the body; "000" without a connection."""
    command = ["curl", "--silent", "--write-out", " %{http_code}", f"http://127.0.0.1:{port}{path}"]
    return " ".join(probe.host.run(*command, check=False).stdout.split())


def failed(results: dict[str, int]) -> int:
    return sum(results.values()) - results.get("good", 0)


def late_requests(probe, endpoints: Endpoints, results: dict):
    """Requests during the block, of clients that look up endpoints late."""
    return load(probe, results, "endpoint_load.py", endpoints.path, LOOK_UP_SECONDS, 4, len("hello\n"))


def stop(probe, endpoints: Endpoints) -> float:
    """Stops the server, and removes its endpoint at the same time. Returns how many seconds that took."""
    begin = time.monotonic()
    probe.host.systemctl("stop", "--no-block", probe.name)
    endpoints.set(STAYS)
    probe.wait_until_inactive()
    return time.monotonic() - begin


@pytest.mark.parametrize("server", [
    "quiet period", "no quiet period", pytest.param("swift-service-lifecycle alone", marks=pytest.mark.nightly),
])
def test_only_with_a_quiet_period_no_request_fails(probe, other, endpoints, figures, server):
    host, balanced, late = probe.host, {}, {}
    if server.endswith("alone"):
        host.install(ALONE, PROGRAM)
        probe.start("", Type="exec")
    else:
        probe.start(f"http={QUIET_SECONDS if server == 'quiet period' else 0}")
    probe.wait_for(lambda: get(probe, STOPS, "/") == "hello 200", "answer")
    host.write("/run/haproxy-test.cfg", CONFIGURATION)
    with host.running("haproxy", "-db", "-f", "/run/haproxy-test.cfg"):
        probe.wait_for(lambda: get(probe, PORT, "/servers") == "2 200", "be one of two servers")
        with requests(probe, "/", 4, len("hello\n"), balanced), late_requests(probe, endpoints, late):
            seconds = stop(probe, endpoints)
            probe.wait_for(lambda: get(probe, PORT, "/servers") == "1 200", "be removed from HAProxy")

    figures.append(
        f"stop of one of two servers, {server}: {seconds:.1f} s; by HAProxy {balanced}, {failed(balanced)} failed; "
        f"with late look-ups {late}, {failed(late)} failed")
    assert balanced["good"] > 100 and late["good"] > 100
    if server == "quiet period":
        assert failed(balanced) == failed(late) == 0
        # Each check is a client that comes, so the server accepts as long as it may.
        assert any("accepted connections until the time was up" in message for message in probe.messages())
        assert LONGEST_SECONDS <= seconds and probe.property("Result") == "success"
    else:
        assert failed(balanced) > 0 and failed(late) > 0


def test_stop_ends_when_no_client_comes_and_is_told_meanwhile(probe, other, endpoints, figures):
    late = {}
    probe.start(f"http={QUIET_SECONDS}")
    assert get(probe, STOPS, "/readyz") == "hello 200" and probe.host.run(*CTL, "is-active").stdout == "active\n"

    with late_requests(probe, endpoints, late):
        begin = time.monotonic()
        probe.host.systemctl("stop", "--no-block", probe.name)
        endpoints.set(STAYS)
        probe.wait_for(lambda: get(probe, STOPS, "/readyz") == "hello 503", "be not ready")
        assert get(probe, STOPS, "/") == "hello 200"
        answer = probe.host.run(*CTL, "is-active", check=False)
        assert (answer.returncode, answer.stdout) == (1, "stopping\n")
        assert probe.property("StatusText").startswith("stopping, asked by ")
        probe.wait_until_inactive()
        seconds = time.monotonic() - begin

    figures.append(f"stop with a quiet period of {QUIET_SECONDS} s: {seconds:.1f} s, with late look-ups {late}")
    assert set(late) == {"good"} and QUIET_SECONDS <= seconds
    assert any(f"accepted connections until none came for {QUIET_SECONDS}000 ms" in message for message in probe.messages())


def test_second_signal_ends_the_quiet_period(probe):
    probe.start(f"http={QUIET_SECONDS}")
    probe.host.systemctl("stop", "--no-block", probe.name)
    probe.wait_for(lambda: get(probe, STOPS, "/readyz") == "hello 503", "be not ready")

    probe.kill("TERM")
    probe.wait_until_inactive()

    assert "SIGTERM during the stop: did not wait for listeners any longer" in probe.messages()
    assert not any("accepted connections until" in message for message in probe.messages())
