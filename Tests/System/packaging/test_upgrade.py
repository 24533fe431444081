# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Subscribers lose nothing when another build of belfryd is installed over the running one."""

import shutil
import subprocess

import pytest
from host_roots import PROJECT
from interruptions import crash, post, restart
from subscriber_crowd import CLEAN, Crowd

OTHERS = PROJECT / ".build-others"
OTHER_VERSION = "1000.0.0"

pytestmark = pytest.mark.nightly


class Upgrade:
    """Installs builds of belfryd over the one that runs, as a package manager does."""

    def __init__(self, belfry):
        self.belfry = belfry
        self.installed = belfry.host.root / "usr/bin/belfryd"
        self.ours = belfry.host.base / "belfryd"
        shutil.copy2(self.installed, self.ours)

    def to(self, build: str) -> None:
        source = self.ours if build == "ours" else OTHERS / build / "belfryd"
        assert source.exists(), f"{source} is missing: run 'make others'"
        new = self.installed.with_name("belfryd.new")
        subprocess.run(["install", "-m", "755", source, new], check=True)
        # The running process keeps its old file until it ends.
        new.rename(self.installed)


@pytest.fixture
def upgrade(on_each):
    upgrade = Upgrade(on_each)
    yield upgrade
    upgrade.to("ours")


@pytest.mark.parametrize("interruption", [restart, crash])
def test_subscribers_lose_nothing_to_another_build(on_each, upgrade, interruption):
    on_each.start()
    version = on_each.status()["version"]
    with Crowd(on_each, count=200) as crowd:
        for build, expected in [("next", OTHER_VERSION), ("ours", version), ("next", OTHER_VERSION), ("ours", version)]:
            on_each.host.systemctl("reset-failed")
            before = on_each.main_pid()
            post(on_each, 100)
            upgrade.to(build)
            ending = interruption(on_each)
            post(on_each, 100)
            assert ending.wait() == 0
            on_each.wait_for_another(before)
            assert on_each.status()["version"] == expected
        last = on_each.status()["sequence"]
        report = crowd.report(last)

    assert report.pop("got") == 200 * (last - crowd.first)
    assert report == CLEAN
