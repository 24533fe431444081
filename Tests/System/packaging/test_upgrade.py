# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Another build of belfryd, installed over the running one, keeps its subscribers. A build that cannot keep them logs it;
the subscribers connect again and miss nothing."""

import re
import shutil
import subprocess

import pytest
from belfry_service import SERVICE
from host_roots import PROJECT
from test_replay import numbers, replay
from test_restart import CLEAN, Crowd, crash, post, program, restart  # noqa: F401  a fixture

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
def test_another_build_keeps_every_subscriber(on_each, upgrade, program, interruption):  # noqa: F811
    on_each.start()
    version = on_each.status()["version"]
    sleeper = on_each.subscribe()
    # More than the socket buffer holds, so that a message is partly sent; and less than the handoff memory, because the
    # journal may lack what a killed process has not written.
    post(on_each, 700)
    with Crowd(program, on_each, count=200) as crowd:
        on_each.wait_until_stored(1 + 1 + 200)
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
            # Or else it would be too far behind.
            while len(sleeper.seen) < 600:
                sleeper.next()
        post(on_each, 1, "org.example.end")
        last = on_each.status()["sequence"]
        report = crowd.report(last)

    assert report.pop("got") == 200 * (last - crowd.first)
    assert report == CLEAN
    sleeper.until("org.example.end")
    assert sleeper.is_consecutive()


def test_build_with_another_format_is_a_clean_reconnect(on_each, upgrade):
    on_each.start()
    for build, reason in [("foreign", r"it has format \d+, not 1000"), ("ours", r"it has format 1000, not \d+")]:
        subscriber = on_each.subscribe()
        idle = on_each.subscribe(names=["org.example.never"])
        # No more than the kernel holds for a subscriber that reads later.
        post(on_each, 10)
        upgrade.to(build)

        on_each.host.systemctl("restart", SERVICE)

        seen = list(subscriber.to_the_end())
        assert seen[-1]["name"] == "willTerminate"
        assert subscriber.is_consecutive()
        assert list(idle.to_the_end()) == []
        assert any(
            re.fullmatch(f"unable to continue the subscriptions of the last process: {reason}", record["MESSAGE"])
            for record in on_each.journal()
        )
        # The journal has what the new process did not receive.
        last = on_each.status()["sequence"]
        missed = replay(on_each, seen[0]["sequence"], last)
        assert missed[: len(seen) - 1] == seen[1:]
        assert numbers(missed) == list(range(seen[1]["sequence"], last + 1))
        assert on_each.status()["subscribers"] == 0
