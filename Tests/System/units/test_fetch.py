# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The timer of belfryd-fetch, and the result of the fetch."""

import pytest
from belfry_instance import BelfryInstance
from belfry_service import SERVICE
from documentation import code_block

FETCH = "belfryd-fetch.service"
TIMER = "belfryd-fetch.timer"


@pytest.fixture
def fetcher(started_on_each):
    """A listener that can fetch, and a connection for its answers."""
    with started_on_each.connect() as listener, started_on_each.connect() as answers:
        listener.attach("feed", "performFetch")
        yield listener, answers
    started_on_each.host.systemctl("reset-failed", FETCH, check=False)


def result(belfry) -> dict[str, str]:
    """How the unit ended."""

    def has_ended() -> bool:
        return belfry.host.properties(FETCH, "ActiveState")["ActiveState"] in ("inactive", "failed")

    belfry.wait_for(has_ended, "end the fetch")
    return belfry.host.properties(FETCH, "Result", "ExecMainStatus")


def printed(belfry) -> list[str]:
    # With a match, journalctl of systemd 252 would leave out the first record.
    records = belfry.host.journal(after=belfry.cursor)
    return [r["MESSAGE"] for r in records if r.get("_SYSTEMD_UNIT") == FETCH and r["SYSLOG_IDENTIFIER"] == "belfryctl"]


@pytest.mark.parametrize("outcome, status", [("newData", "0"), ("noData", "0"), ("failed", "1")])
def test_result_of_a_fetch_is_in_the_journal_and_in_the_exit_status(started_on_each, fetcher, outcome, status):
    listener, answers = fetcher

    started_on_each.host.systemctl("--no-block", "start", FETCH)
    question = listener.reply()
    answers.call("Answer", {"token": question["token"], "outcome": outcome})

    ended = result(started_on_each)
    assert ended == {"Result": "success" if status == "0" else "exit-code", "ExecMainStatus": status}
    lines = printed(started_on_each)
    word = "done" if outcome == "noData" else outcome
    assert lines[0] == f"{question['notification']['sequence']} {word}"
    assert any(line.startswith("  feed") and word in line for line in lines[1:])


def test_sample_of_the_documentation_fetches_once(started_on_each):
    commands = [line[2:] for line in code_block("console", TIMER).splitlines()]
    try:
        shown = started_on_each.host.run("sh", "-ec", "\n".join(commands)).stdout
        assert "Result=success\n" in shown and " done\n" in shown
        assert started_on_each.host.systemctl("is-enabled", TIMER).stdout == "enabled\n"
    finally:
        started_on_each.host.systemctl("disable", "--now", TIMER)


def test_timer_fetches_and_lives_with_the_service(started_on_each):
    host = started_on_each.host
    every_second = "[Timer]\nOnCalendar=\nOnCalendar=*:*:*\nRandomizedDelaySec=0\nAccuracySec=100ms\n"
    host.write(f"/run/systemd/system/{TIMER}.d/test.conf", every_second)
    host.systemctl("daemon-reload")
    try:
        assert host.systemctl("is-active", TIMER, check=False).stdout == "inactive\n"
        host.systemctl("enable", "--now", TIMER)
        started_on_each.wait_for(lambda: any("done" in line for line in printed(started_on_each)), "fetch", 10)
        host.systemctl("stop", SERVICE)
        assert host.systemctl("is-active", TIMER, check=False).stdout == "inactive\n"
        assert started_on_each.property("ActiveState") == "inactive"
        host.systemctl("start", SERVICE)
        assert host.systemctl("is-active", TIMER).stdout == "active\n"
    finally:
        host.systemctl("disable", "--now", TIMER)
        host.path(f"/run/systemd/system/{TIMER}.d/test.conf").unlink()
        host.systemctl("daemon-reload")


def test_timer_of_an_instance_fetches_with_it(started_on_each):
    video = BelfryInstance(started_on_each.host, "video")
    try:
        video.host.systemctl("start", "belfryd@video.service", "belfryd-fetch@video.timer")
        video.host.systemctl("start", "belfryd-fetch@video.service")
        posted = [r for r in video.notifications() if r["BELFRY_NOTIFICATION"] == "performFetch"]
        assert len(posted) == 1
        assert not [r for r in started_on_each.notifications() if r["BELFRY_NOTIFICATION"] == "performFetch"]
        assert video.host.properties("belfryd-fetch@video.timer", "Unit") == {"Unit": "belfryd-fetch@video.service"}
        video.host.systemctl("stop", "belfryd@video.service")
        assert video.host.systemctl("is-active", "belfryd-fetch@video.timer", check=False).stdout == "inactive\n"
    finally:
        video.remove()
