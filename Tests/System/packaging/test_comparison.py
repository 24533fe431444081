# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The task of docs/compare.md in plain shell, in settings of a unit, and with an application of Belfry."""

import re
import shutil

import pytest
from documentation import PROJECT
from hosted_unit import HostedUnit
from memory_hog import hog

EXAMPLES = PROJECT / "Examples/Compare"
PAGE = (PROJECT / "docs/compare.md").read_text()
SETTINGS, WORK = "/etc/worker.conf", "/srv/worker"
FILES = {
    "Trap": {"/usr/local/bin/worker": "Trap/worker", "/run/systemd/system/worker.service": "Trap/worker.service"},
    "Unit": {"/run/systemd/system/worker.service.d/lifecycle.conf": "Unit/lifecycle.conf"},
    "Application": {"/etc/belfry/applications/worker.conf": "Application/worker.conf"},
}
COMMON = {
    "/run/systemd/system/worker.service": "worker.service",
    **{f"/usr/local/bin/{name}": name for name in ("worker", "worker-check", "worker-drain")},
}


class Worker(HostedUnit):
    """The unit worker.service, in one of the three ways."""

    def __init__(self, belfry, way: str):
        super().__init__(belfry.host, "worker.service")
        self.way = way
        self.files = COMMON | FILES[way]
        for path, name in self.files.items():
            self.host.install(EXAMPLES / name, path)
        for folder in ("jobs", "done", "cache"):
            self.host.path(f"{WORK}/{folder}").mkdir(parents=True, exist_ok=True)
        self.set_quality(80)
        self.host.systemctl("daemon-reload")
        self.skip_old_records()
        self.host.systemctl("start", self.name)
        if way == "Application":
            self.ctl("enable", "worker", check=True)
            self.wait_for(lambda: "worker" in self.ctl("-i", "worker", "listeners").stdout, "be attached")
        # It has read its settings.
        self.do_job("before")

    def ctl(self, *arguments: str, check: bool = False):
        return self.host.run("belfryctl", *arguments, check=check)

    def set_quality(self, number: int) -> None:
        self.host.write(SETTINGS, f"quality={number}\n")

    def begin_job(self, name: str) -> None:
        self.host.write(f"{WORK}/jobs/{name}", "")

    def result(self, name: str) -> str:
        path = self.host.path(f"{WORK}/done/{name}")
        return path.read_text() if path.exists() else ""

    def do_job(self, name: str) -> str:
        self.begin_job(name)
        self.wait_for(lambda: self.result(name), f"do {name}")
        return self.result(name)

    def remove(self) -> None:
        units = [self.name, "belfryd@worker.service", "belfry-listener@worker.service"]
        self.host.systemctl("stop", *units, check=False)
        for path in self.files:
            self.host.path(path).unlink(missing_ok=True)
        for folder in (WORK, "/run/belfry@worker"):
            shutil.rmtree(self.host.path(folder), ignore_errors=True)
        self.host.systemctl("daemon-reload")


@pytest.fixture(params=list(FILES))
def worker(on_each, request):
    worker = Worker(on_each, request.param)
    try:
        yield worker
    finally:
        worker.remove()


def test_a_stop_loses_no_job(worker):
    worker.begin_job("first")
    waiting = worker.host.path(f"{WORK}/jobs/first")
    worker.wait_for(lambda: not waiting.exists(), "begin the job")
    worker.begin_job("second")
    worker.host.systemctl("stop", worker.name)

    assert worker.result("first") == "quality 80\n"
    assert not worker.host.path(f"{WORK}/busy").exists()
    # It still waits, or is done.
    assert worker.host.path(f"{WORK}/jobs/second").exists() != bool(worker.result("second"))


def test_settings_that_are_wrong_are_not_applied(worker):
    worker.set_quality(800)
    if worker.way == "Application":
        refused = worker.ctl("-i", "worker", "reload")
        assert refused.returncode == 78 and "quality is not 1 to 99" in refused.stderr
    else:
        # The shell cannot make systemctl fail.
        done = worker.host.systemctl("reload", worker.name, check=False)
        assert done.returncode == (0 if worker.way == "Trap" else 1)
        worker.wait_for(lambda: any("quality is not 1 to 99" in one for one in worker.messages()), "refuse the reload")

    assert worker.do_job("first") == "quality 80\n"


def test_settings_that_are_right_are_applied(worker):
    worker.set_quality(90)
    if worker.way == "Application":
        worker.ctl("-i", "worker", "reload", check=True)
    else:
        worker.host.systemctl("reload", worker.name)
    # A job that was begun before the signal came has the old ones.
    jobs = iter(range(10))
    worker.wait_for(lambda: worker.do_job(f"job-{next(jobs)}") == "quality 90\n", "apply them")


def test_short_memory_empties_the_cache(worker):
    if worker.way == "Unit":
        pytest.skip("no setting of a unit does this")
    file = f"{WORK}/cache/thumbnail"
    worker.host.write(file, "")

    with hog(worker):
        worker.wait_for(lambda: not worker.host.path(file).exists(), "empty its cache")


def test_a_restart_says_why(worker):
    worker.host.systemctl("restart", worker.name)
    if worker.way == "Trap":
        worker.wait_for(lambda: "stopped by SIGTERM" in worker.messages(), "say it")
    elif worker.way == "Unit":
        worker.wait_for(lambda: any(one.startswith("ended: success, killed TERM") for one in worker.messages()), "say it")
    else:
        said = worker.ctl("history", "worker", "--on", "willTerminate").stdout
        assert "reason=restart" in said


def lines(path) -> int:
    """Without comments and blank lines."""
    return sum(1 for line in path.read_text().splitlines() if line.strip() and not re.match(r"\s*(#|//)", line))


def test_the_page_counts_the_lines():
    rows = dict(re.findall(r"^\| ([^|]+?) \| (\d+) \|", PAGE, re.MULTILINE))
    shared = [EXAMPLES / name for name in ("worker", "worker-check", "worker-drain")]
    counted = {
        "plain shell with `trap`": [EXAMPLES / "Trap/worker"],
        "settings of the unit": [EXAMPLES / "Unit/lifecycle.conf", *shared],
        "Belfry, an application": [EXAMPLES / "Application/worker.conf", *shared],
        "swift-service-lifecycle": [EXAMPLES / "ServiceGroupWorker/main.swift"],
        "Belfry, the library": [EXAMPLES / "ListenerWorker/main.swift"],
    }
    assert {name: int(rows[name]) for name in counted} == {name: sum(map(lines, files)) for name, files in counted.items()}


def test_the_page_shows_the_files():
    for name in ("Trap/worker", "Unit/lifecycle.conf", "Application/worker.conf"):
        blocks = re.findall(r"^```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
        text = (EXAMPLES / name).read_text()
        assert any(block in text for block in blocks), name
