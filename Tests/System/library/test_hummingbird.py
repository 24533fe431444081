# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The HTTP server of Examples/NIOService under load: no request fails while it is stopped, restarted and reloaded. The figures
are at the end of the output."""

import re
from ast import literal_eval
from collections import Counter

import pytest
from example import installed
from hosted_unit import HostedUnit
from load import requests

pytestmark = pytest.mark.nightly

UNIT = "hello.service"
ADDRESS = "http://127.0.0.1:8080"
SECONDS = 10
STOPS = 100
# A small response, and one that is larger than the socket buffers.
PATHS = ["/", "/large"]
# Eight threads that open a connection for each request. wrk cannot do this: it ignores that it asked for the close.
NEWCOMERS = f"""
import collections, socket, threading, time
counted, end = collections.Counter(), time.monotonic() + {SECONDS}
def request():
    with socket.create_connection(("127.0.0.1", 8080), timeout=30) as connection:
        connection.sendall(b"GET / HTTP/1.1\\r\\nHost: hello\\r\\nConnection: close\\r\\n\\r\\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    return "answered" if answer.endswith(b"hello\\n") else "cut" if answer else "closed"
def repeat():
    while time.monotonic() < end:
        try:
            outcome = request()
        except OSError as error:
            outcome = type(error).__name__
        counted[outcome] += 1
threads = [threading.Thread(target=repeat) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(dict(counted))
"""
# Sends a request, and another one on the same connection that takes two seconds.
CLIENT = """
from http.client import HTTPConnection
connection = HTTPConnection("127.0.0.1", 8080, timeout=60)
connection.request("GET", "/")
connection.getresponse().read()
connection.request("GET", "/slow")
print("sent", flush=True)
response = connection.getresponse()
print(response.status, response.getheader("Connection"), response.read().decode(), end="")
"""


@pytest.fixture
def hello(belfry):
    """The example as its README says, with its socket unit started."""
    with installed(belfry.host, "NIOService", "HummingbirdService") as unit:
        yield unit


def disturb(hello: HostedUnit, verb: str, *command: str) -> tuple[int, str]:
    """Repeats `systemctl VERB`, or a pause, for as long as the command sends requests. Returns how often, and what it printed."""
    times = 0
    with hello.host.running(*command) as load:
        while load.poll() is None:
            if verb == "pause":
                hello.kill("TSTP")
                hello.kill("CONT")
            else:
                hello.host.systemctl(verb, UNIT)
            times += 1
        assert load.returncode == 0, load.stderr.read()
        return times, load.stdout.read()


def failures(output: str) -> dict[str, int]:
    """What wrk counted. It prints these lines only if there is something to count."""
    kinds = {"not connected": "connect", "closed or cut": "read", "refused or not sent": "write", "late": "timeout"}
    errors = dict(re.findall(r"(connect|read|write|timeout) (\d+)", output))
    status = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    counted = {kind: int(errors.get(word, 0)) for kind, word in kinds.items()}
    return counted | {"error status": int(status[1]) if status else 0}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("verb", ["restart", "reload", "pause"])
def test_no_request_fails(hello, figures, verb, path):
    pid = hello.main_pid()
    wrk = ["wrk", "--threads=2", "--connections=32", f"--duration={SECONDS}s", "--timeout=30s", f"{ADDRESS}{path}"]

    times, output = disturb(hello, verb, *wrk)

    requests = int(re.search(r"(\d+) requests in", output)[1])
    longest = re.search(r"Latency +\S+ +\S+ +(\S+)", output)[1]
    failed = failures(output)
    figures.append(f"{verb} {times} times, GET {path}: {requests} requests, the longest {longest}, {failed}")
    assert times > 1 and requests > 50
    assert (hello.main_pid() != pid) == (verb == "restart")
    assert not any(failed.values()), output


@pytest.mark.parametrize("verb", ["restart", "reload", "pause"])
def test_no_new_connection_fails(hello, figures, verb):
    times, output = disturb(hello, verb, "/usr/bin/python3", "-c", NEWCOMERS)

    figures.append(f"{verb} {times} times, a connection for each request: {output.strip()}")
    assert times > 1
    assert set(literal_eval(output)) == {"answered"}


@pytest.mark.timeout(1800)
def test_no_request_is_lost_in_a_hundred_stops(hello, figures):
    """Every stop has requests in flight that take two seconds, and others that begin while it lasts: these wait in the socket
    of systemd, which starts the service again."""
    small, large, slow = {}, {}, {}
    with (
        requests(hello, "/", 8, len("hello\n"), small),
        requests(hello, "/large", 2, 1 << 20, large),
        requests(hello, "/slow", 4, len("slow\n"), slow),
    ):
        for _ in range(STOPS):
            hello.host.systemctl("stop", UNIT)
            assert hello.property("Result") == "success"
            hello.host.systemctl("start", UNIT)

    results = Counter(small) + Counter(large) + Counter(slow)
    figures.append(f"{STOPS} stops: {dict(results)}, of these {slow} of two seconds")
    assert set(results) == {"good"}, results
    assert slow["good"] >= STOPS and small["good"] > 10 * STOPS


def test_a_stop_waits_for_a_request_in_flight(hello):
    with hello.host.running("/usr/bin/python3", "-c", CLIENT) as client:
        assert client.stdout.readline() == "sent\n"

        hello.host.systemctl("stop", UNIT)

        assert client.stdout.read() == "200 close slow\n", client.stderr.read()
        assert hello.property("Result") == "success"
