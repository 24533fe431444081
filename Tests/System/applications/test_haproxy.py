# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""HAProxy as Debian installs it, with the lifecycle that comes with Belfry, connections in flight and requests."""

import re
import subprocess
import sys

import pytest
from documentation import commands
from load import PORT, requests
from shipped_application import ShippedApplication

CONFIGURATION = "/etc/haproxy/haproxy.cfg"
# A frontend for lines, and the server behind it.
LINES, ECHO = 8081, 8082
ECHO_SERVER = f"""
import socketserver
class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(line)
# The connections of the test before wait for their end.
socketserver.ThreadingTCPServer.allow_reuse_address = True
server = socketserver.ThreadingTCPServer(("127.0.0.1", {ECHO}), Echo)
print("ready", flush=True)
server.serve_forever()
"""
# Says what the server answers to each line, and ends with its input.
CLIENT = f"""
import socket, sys
stream = socket.create_connection(("127.0.0.1", {LINES}), timeout=10).makefile("rw")
for line in sys.stdin:
    stream.write(line)
    stream.flush()
    print(stream.readline(), end="", flush=True)
"""


class HAProxy(ShippedApplication):
    def __init__(self, host):
        super().__init__(host, "haproxy")
        self.installed = host.path(CONFIGURATION).read_text()

    def configure(self, version: str, more: str = "") -> None:
        self.host.path(CONFIGURATION).write_text(
            f"{self.installed}\n"
            f"frontend web\n  bind 127.0.0.1:{PORT}\n"
            f"  http-request return status 200 content-type text/plain string '{version}'\n{more}\n"
            f"listen lines\n  mode tcp\n  option tcplog\n  bind 127.0.0.1:{LINES}\n  server echo 127.0.0.1:{ECHO}\n"
        )

    def enable(self) -> None:
        """Runs the commands of the page but the installation."""
        server = self.unit.main_pid()
        for command in commands("belfryctl enable haproxy"):
            if "apt-get" not in command:
                self.host.run("sh", "-ec", command)
        self.wait_until_up()
        assert self.unit.main_pid() == server != 0

    def get(self) -> str:
        """The version of the page; empty if the connection is refused."""
        fetch = (
            "import urllib.request, sys\n"
            "try: print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())\n"
            "except OSError: pass"
        )
        command = ["nsenter", "-t", str(self.host.leader), "-n", sys.executable, "-c", fetch, f"http://127.0.0.1:{PORT}/"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def echoes(self, client: subprocess.Popen) -> bool:
        client.stdin.write("hello\n")
        client.stdin.flush()
        return client.stdout.readline() == "hello\n"


@pytest.fixture
def haproxy(on_each):
    """One that has run before it was enabled."""
    host = on_each.host
    haproxy = HAProxy(host)
    try:
        haproxy.configure("one")
        host.systemctl("start", haproxy.unit.name)
        haproxy.drop_in("test", "[Application]\nHealthInterval=1s\n")
        with host.running("python3", "-c", ECHO_SERVER) as server:
            assert server.stdout.readline() == "ready\n"
            haproxy.enable()
            yield haproxy
    finally:
        haproxy.remove()
        host.path(CONFIGURATION).write_text(haproxy.installed)


def test_a_pause_accepts_nothing_and_ends_no_connection(haproxy):
    with haproxy.host.running("python3", "-c", CLIENT) as client:
        assert haproxy.get() == "one" and haproxy.echoes(client)
        haproxy.ctl("pause")
        assert haproxy.get() == "" and haproxy.echoes(client)
        answer = haproxy.ctl("reload", check=False)
        assert answer.returncode == 78 and "a reload would end the pause, resume first" in answer.stderr
        # Nothing is done twice.
        haproxy.host.systemctl("restart", haproxy.name)
        haproxy.wait_until_up()
        assert haproxy.state() == "background" and haproxy.get() == ""
        haproxy.ctl("resume")
        assert haproxy.get() == "one" and haproxy.echoes(client)


def test_a_reload_is_refused_with_the_line_that_is_wrong_and_loses_no_request(haproxy, figures):
    small = {}
    server = haproxy.unit.main_pid()
    with requests(haproxy, "/", 4, 3, small):
        haproxy.configure("two", "  oops")
        for command in (["reload", "--dry-run"], ["reload"]):
            answer = haproxy.ctl(*command, check=False)
            assert answer.returncode == 78
            assert re.search(rf"parsing \[{CONFIGURATION}:\d+\] ?: unknown keyword 'oops'", answer.stderr)
        assert haproxy.get() == "one"
        haproxy.configure("two")
        haproxy.ctl("reload")
        haproxy.wait_for(lambda: haproxy.get() == "two", "use the new configuration")
    figures.append(f"haproxy, a refused and a good reload: {small} requests")
    assert set(small) == {"good"} and haproxy.unit.main_pid() == server


def test_a_port_of_another_program_fails_the_reload_where_haproxy_tells_it(haproxy):
    taken = "import socket; server = socket.create_server(('127.0.0.1', 8083)); print('taken', flush=True); input()"
    with haproxy.host.running("python3", "-c", taken) as other:
        assert other.stdout.readline() == "taken\n"
        haproxy.configure("two", "  bind 127.0.0.1:8083")
        answer = haproxy.ctl("reload", check=False)
        if haproxy.host.name == "trixie":
            assert answer.returncode == 1 and "8083" in answer.stderr
        haproxy.wait_for(lambda: haproxy.get() == "one", "go on with the old configuration")


def test_a_stop_waits_for_open_connections_and_accepts_no_other(haproxy):
    with haproxy.host.running("python3", "-c", CLIENT) as client:
        assert haproxy.echoes(client)
        haproxy.host.systemctl("stop", "--no-block", haproxy.unit.name)
        haproxy.wait_for(lambda: haproxy.get() == "", "accept no connection")
        assert haproxy.echoes(client) and haproxy.unit.property("ActiveState") == "active"
        client.stdin.close()
        haproxy.unit.wait_until_inactive()
    assert haproxy.listener_says("Stop= ran")


def test_a_haproxy_that_hangs_is_degraded_until_it_answers(haproxy):
    assert haproxy.is_healthy()
    processes = ["systemctl", "kill", "--kill-who=all", haproxy.unit.name]
    haproxy.host.run(*processes, "--signal=STOP")
    try:
        haproxy.wait_for(lambda: not haproxy.is_healthy(), "notice that HAProxy hangs", 60)
        assert "haproxy is degraded: Health= failed" in haproxy.ctl("is-active", check=False).stdout
    finally:
        haproxy.host.run(*processes, "--signal=CONT")
    haproxy.wait_for(haproxy.is_healthy, "notice that HAProxy answers again")
