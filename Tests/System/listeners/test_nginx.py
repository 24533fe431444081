# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The recipe for nginx, with requests in flight through pause, reloads and resume."""

import subprocess
import sys

import pytest
from belfry_instance import BelfryInstance
from documentation import code_block, commands
from load import PORT, requests
from memory_hog import hog

NGINX = "nginx.service"
LISTENER = "belfry-listener@nginx.service"
# Where the recipe puts its files, by their first line.
PROGRAM = "/usr/local/lib/belfry/nginx"
FILES = [
    ("ini", "/etc/belfry/listeners.d/nginx.listener"),
    ("sh", PROGRAM),
    ("ini", f"/etc/systemd/system/{LISTENER}.d/override.conf"),
    ("ini", "/etc/systemd/system/belfryd@nginx.service.d/override.conf"),
]
pytestmark = pytest.mark.nightly_on_trixie
CONFIGURATION = "/etc/nginx/conf.d/test.conf"
# One request for this takes two seconds.
SLOW = 200_000
PAGES = "/srv/pages"


def configure(nginx: BelfryInstance, version: str) -> None:
    """A small page with this text, and a large one that is sent slowly."""
    text = (
        f"server {{ listen 127.0.0.1:{PORT}; sendfile off;"
        f" location = /version {{ return 200 '{version}'; }}"
        f" location = /slow {{ root {PAGES}; limit_rate 100k; limit_rate_after 0; }} }}\n"
    )
    nginx.host.write(CONFIGURATION, text)


@pytest.fixture
def nginx(on_each):
    """nginx with the files of the recipe, its instance of belfryd, and the listener, which is attached."""
    host = on_each.host
    instance = BelfryInstance(host, "nginx")
    try:
        for language, path in FILES:
            host.write(path, code_block(language, f"# {path}\n"))
        host.write(f"{PAGES}/slow", "x" * SLOW)
        configure(instance, "one")
        for command in code_block("console", f"chmod +x {PROGRAM}").splitlines():
            host.run("sh", "-ec", command[2:])
        instance.wait_for(lambda: is_active(instance), "start nginx")
        yield instance
        for command in commands("rm -r /etc/belfry/listeners.d/nginx.listener"):
            host.run("sh", "-ec", command)
        assert is_active(instance) and not any(host.path(path).exists() for _, path in FILES)
    finally:
        host.systemctl("disable", "--now", LISTENER, instance.name, NGINX, check=False)
        for path in [path for _, path in FILES] + [CONFIGURATION]:
            host.path(path).unlink(missing_ok=True)
        host.systemctl("daemon-reload")
        host.systemctl("reset-failed")


def is_active(nginx: BelfryInstance) -> bool:
    return nginx.host.properties(NGINX, "ActiveState") == {"ActiveState": "active"}


def version(nginx: BelfryInstance) -> str:
    url = f"http://127.0.0.1:{PORT}/version"
    fetch = f"import urllib.request; print(urllib.request.urlopen('{url}').read().decode())"
    command = ["nsenter", "-t", str(nginx.host.leader), "-n", sys.executable, "-c", fetch]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def reload(nginx: BelfryInstance) -> subprocess.CompletedProcess:
    return nginx.host.systemctl("reload", nginx.name, check=False)


def test_reload_is_a_transaction_and_loses_no_request(nginx, figures):
    small, slow = {}, {}
    with requests(nginx, "/version", 4, 3, small), requests(nginx, "/slow", 8, SLOW, slow):
        nginx.host.write(CONFIGURATION, "server { listen 127.0.0.1:8080; oops; }\n")
        assert nginx.ctl("reload", "--dry-run", check=False).returncode == 78
        assert reload(nginx).returncode != 0
        said = [record["MESSAGE"] for record in nginx.host.journal(f"--unit={LISTENER}")]
        assert any(f'unknown directive "oops" in {CONFIGURATION}:1' in line for line in said)
        assert is_active(nginx) and version(nginx) == "one"
        configure(nginx, "two")
        assert reload(nginx).returncode == 0
        nginx.wait_for(lambda: version(nginx) == "two", "use the new configuration")
    figures.append(f"nginx, a refused and a good reload: {small} small and {slow} slow requests")
    assert set(small) == set(slow) == {"good"} and small["good"] > 50 and slow["good"] >= 8


def test_pause_finishes_requests_in_flight_and_resume_serves_again(nginx, figures):
    before, during, after, slow = {}, {}, {}, {}
    with requests(nginx, "/slow", 8, SLOW, slow):
        with requests(nginx, "/version", 2, 3, before):
            nginx.wait_for(lambda: version(nginx) == "one", "serve")
        with requests(nginx, "/version", 2, 3, during):
            assert nginx.ctl("pause").stdout == "background\n"
            assert nginx.host.properties(NGINX, "ActiveState", "Result") == {"ActiveState": "inactive", "Result": "success"}
            nginx.ctl("resume")
        assert version(nginx) == "one"
    with requests(nginx, "/version", 2, 3, after):
        nginx.wait_for(lambda: version(nginx) == "one", "serve")
    figures.append(f"nginx, pause and resume: before {before}, during {during}, slow {slow}, after {after}")
    assert set(before) == set(after) == {"good"}
    # Connections that nginx has not accepted before the pause are refused or reset. No reply is cut short.
    assert during["ConnectionRefusedError"] > 0 and slow["good"] >= 8
    assert set(during) | set(slow) <= {"good", "ConnectionRefusedError", "ConnectionResetError"}


def test_nginx_follows_the_instance_but_not_its_crash(nginx):
    pid = nginx.main_pid()
    nginx.kill("KILL")
    nginx.wait_for_another(pid)
    assert is_active(nginx)

    nginx.wait_for(lambda: "nginx" in {listener["name"] for listener in nginx.listeners()}, "attach nginx again")
    nginx.host.systemctl("stop", nginx.name)
    assert not is_active(nginx)
    nginx.start()
    nginx.wait_for(lambda: is_active(nginx), "start nginx")
    assert version(nginx) == "one"


def test_flush_and_memory_pressure_empty_the_cache(nginx):
    cached = nginx.host.path("/var/cache/nginx/1/a")
    nginx.host.write("/var/cache/nginx/1/a", "cached")
    nginx.ctl("flush")
    assert not cached.exists()

    nginx.host.write("/var/cache/nginx/1/a", "cached")
    with hog(nginx):
        nginx.wait_for(lambda: not cached.exists(), "empty the cache")
    assert any(record.get("BELFRY_NOTIFICATION") == "didReceiveMemoryWarning" for record in nginx.journal())
