# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""nginx as Debian installs it, with the lifecycle that comes with Belfry, and requests in flight."""

import re
import subprocess
import sys

import pytest
from belfry_service import CACHE_TAG
from documentation import code_block
from load import PORT, requests
from memory_hog import hog
from shipped_application import ShippedApplication

CONFIGURATION = "/etc/nginx/conf.d/test.conf"
CACHE = "/var/cache/nginx"
# One request for this takes two seconds.
SLOW = 200_000
PAGES = "/srv/pages"


def configure(nginx: ShippedApplication, version: str, more: str = "") -> None:
    """A small page with this text, the same page from a cache, a large one that is sent slowly, and /ready of the documentation."""
    text = (
        f"proxy_cache_path {CACHE} keys_zone=pages:1m;\n"
        f"server {{ listen 127.0.0.1:{PORT}; sendfile off;"
        f" location = /version {{ return 200 '{version}'; }}"
        f" location = /cached {{ proxy_pass http://127.0.0.1:{PORT}/version; proxy_cache pages; proxy_cache_valid 1h; }}"
        f" location /slow {{ root {PAGES}; limit_rate 100k; limit_rate_after 0; }}\n"
        f"{code_block('nginx', 'location = /ready')} {more} }}\n"
    )
    nginx.host.write(CONFIGURATION, text)


@pytest.fixture
def nginx(on_each):
    """An nginx that has run before it was enabled."""
    host = on_each.host
    nginx = ShippedApplication(host, "nginx")
    try:
        host.write(f"{PAGES}/slow", "x" * SLOW)
        configure(nginx, "one")
        host.systemctl("start", nginx.unit.name)
        nginx.enable()
        yield nginx
    finally:
        nginx.remove()
        host.run("rm", "-rf", CONFIGURATION, CACHE, PAGES)


def get(nginx: ShippedApplication, path: str) -> tuple[int, str]:
    fetch = (
        "import http.client, sys; connection = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=30);"
        " connection.request('GET', sys.argv[2]); reply = connection.getresponse(); print(reply.status, reply.read().decode())"
    )
    command = ["nsenter", "-t", str(nginx.host.leader), "-n", sys.executable, "-c", fetch, str(PORT), path]
    status, text = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip("\n").split(" ", 1)
    return int(status), text


def test_a_reload_is_a_transaction_and_loses_no_request(nginx, figures):
    small, slow = {}, {}
    with requests(nginx, "/version", 4, 3, small), requests(nginx, "/slow", 8, SLOW, slow):
        configure(nginx, "two", "oops;")
        for command in (["reload", "--dry-run"], ["reload"]):
            answer = nginx.ctl(*command, check=False)
            assert answer.returncode == 78 and f'unknown directive "oops" in {CONFIGURATION}' in answer.stderr
        assert get(nginx, "/version") == (200, "one")
        configure(nginx, "two")
        nginx.ctl("reload")
        nginx.wait_for(lambda: get(nginx, "/version") == (200, "two"), "use the new configuration")
    figures.append(f"nginx, a refused and a good reload: {small} small and {slow} slow requests")
    assert set(small) == set(slow) == {"good"}


@pytest.fixture
def reloaded_by_systemctl(nginx):
    """`systemctl reload nginx` asks Belfry, with the file of the page."""
    nginx.own_reload = reload_command(nginx)
    nginx.drop_in("reload", code_block("ini", "# /etc/belfry/applications/nginx.conf.d/reload.conf\n"))
    nginx.enable()
    assert reload_command(nginx) == ["belfryctl -i nginx reload"] != nginx.own_reload
    return nginx


def reload_command(nginx: ShippedApplication) -> list[str]:
    """What `ExecReload=` of nginx is, without its last run."""
    shown = nginx.host.systemctl("show", "--property=ExecReload", nginx.unit.name).stdout
    return re.findall(r"argv\[\]=(.*?) ; ignore_errors", shown)


def systemctl_reload(nginx: ShippedApplication) -> bool:
    return nginx.host.systemctl("reload", nginx.unit.name, check=False).returncode == 0


def test_systemctl_reload_of_a_wrong_file_fails_with_its_line_and_changes_nothing(reloaded_by_systemctl):
    nginx = reloaded_by_systemctl
    server = nginx.unit.main_pid()
    nginx.unit.skip_old_records()
    configure(nginx, "two", "oops;")
    assert not systemctl_reload(nginx)
    wrong = re.compile(rf'unknown directive "oops" in {CONFIGURATION}:\d+')
    assert any(wrong.search(message) for message in nginx.unit.messages())
    assert get(nginx, "/version") == (200, "one") and nginx.unit.property("ActiveState") == "active"
    configure(nginx, "two")
    assert systemctl_reload(nginx)
    nginx.wait_for(lambda: get(nginx, "/version") == (200, "two"), "use the new configuration")
    assert nginx.unit.main_pid() == server and nginx.is_healthy()


def test_disable_gives_nginx_its_own_reload_back(reloaded_by_systemctl):
    nginx = reloaded_by_systemctl
    nginx.host.run("belfryctl", "disable", "nginx")
    assert reload_command(nginx) == nginx.own_reload
    configure(nginx, "two")
    assert systemctl_reload(nginx)
    nginx.wait_for(lambda: get(nginx, "/version") == (200, "two"), "use the new configuration")


@pytest.mark.parametrize("count", [20, pytest.param(1000, marks=pytest.mark.nightly)])
def test_reloads_in_turn_right_and_wrong_lose_no_request(reloaded_by_systemctl, count, figures):
    nginx = reloaded_by_systemctl
    server, version, small = nginx.unit.main_pid(), "one", {}
    with requests(nginx, "/version", 4, 3, small):
        for number in range(count):
            is_right = number % 2 == 1
            configure(nginx, f"{number:03}", "" if is_right else "oops;")
            assert systemctl_reload(nginx) == is_right
            if is_right:
                version = f"{number:03}"
            # A worker of the version before may answer once more.
            nginx.wait_for(lambda version=version: get(nginx, "/version") == (200, version), f"serve the version {version}")
    figures.append(f"nginx, {count} reloads by systemctl, every other one refused: {small} requests")
    assert set(small) == {"good"} and nginx.unit.main_pid() == server
    assert nginx.state() == "active" and nginx.is_healthy()


def test_a_port_of_another_program_is_in_the_log_of_nginx_only(nginx):
    taken = "import socket; server = socket.create_server(('127.0.0.1', 8081)); print('taken', flush=True); input()"
    with nginx.host.running("python3", "-c", taken) as other:
        assert other.stdout.readline() == "taken\n"
        configure(nginx, "two", "listen 127.0.0.1:8081;")
        nginx.ctl("reload")
        log = nginx.host.path("/var/log/nginx/error.log")
        nginx.wait_for(lambda: "bind() to 127.0.0.1:8081 failed" in log.read_text(), "refuse the port")
        assert get(nginx, "/version") == (200, "one")


def test_nothing_that_happens_to_belfry_loses_a_request(nginx, figures):
    small, slow = {}, {}
    server = nginx.unit.main_pid()
    with requests(nginx, "/version", 4, 3, small), requests(nginx, "/slow", 8, SLOW, slow):
        assert get(nginx, "/ready") == (200, "ready")
        assert "not ready for load balancers" in nginx.ctl("pause").stdout
        assert get(nginx, "/ready")[0] == 503 and get(nginx, "/version") == (200, "one")
        upgrade(nginx)
        assert nginx.state() == "background" and get(nginx, "/ready")[0] == 503
        nginx.ctl("resume")
        assert get(nginx, "/ready") == (200, "ready")
        nginx.host.systemctl("restart", nginx.name)
        belfryd = nginx.main_pid()
        nginx.kill("KILL")
        nginx.wait_for_another(belfryd)
        nginx.wait_until_up()
        nginx.host.run("belfryctl", "disable", "nginx")
        assert nginx.property("ActiveState") == nginx.listener.property("ActiveState") == "inactive"
        assert get(nginx, "/version") == (200, "one")
    figures.append(f"nginx, pause, restarts, crash and removal of Belfry: {small} small and {slow} slow requests")
    assert set(small) == set(slow) == {"good"} and nginx.unit.main_pid() == server


def upgrade(nginx: ShippedApplication) -> None:
    """What the package does with both units."""
    for unit in (nginx.name, nginx.listener.name):
        nginx.host.systemctl("set-property", "--runtime", unit, "Markers=+needs-restart")
    belfryd = nginx.main_pid()
    nginx.host.systemctl("reload-or-restart", "--marked")
    nginx.wait_for_another(belfryd)
    nginx.wait_until_up()


def test_flush_and_memory_warning_empty_the_cache_and_lose_no_request(nginx):
    cached = nginx.host.path(f"{CACHE}/1/a")
    nginx.host.write(f"{CACHE}/CACHEDIR.TAG", CACHE_TAG)
    replies = {}

    def empties(what: str) -> None:
        nginx.wait_for(lambda: not cached.exists(), f"empty the cache at {what}")
        nginx.host.write(f"{CACHE}/1/a", "cached")

    with requests(nginx, "/cached", 4, 3, replies):
        empties("nothing yet")
        nginx.ctl("flush")
        empties("flush")
        nginx.ctl("simulate", "didReceiveMemoryWarning")
        empties("a rehearsed warning")
        with hog(nginx.unit):
            empties("pressure in its own control group")
    assert set(replies) == {"good"} and nginx.host.path(f"{CACHE}/CACHEDIR.TAG").exists()
    warnings = [record for record in nginx.notifications() if record["BELFRY_NOTIFICATION"] == "didReceiveMemoryWarning"]
    assert warnings[-1]["MESSAGE"].rpartition(" ")[2] in ("some", "full")
