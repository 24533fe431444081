# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A restart, a crash and an upgrade lose and repeat no notification for a subscriber that connects again."""

import time
from collections import Counter

import pytest
from documentation import code_block
from interruptions import crash, post, restart
from subscriber_crowd import CLEAN, SUBSCRIBERS, Crowd
from varlink_client import Subscriber, VarlinkClient, are_consecutive

INTERRUPTIONS = 10
# Around each interruption.
POSTS = 1000


def post_around(belfry, interruption, count: int) -> Counter:
    """Posts at least so many: some before the interruption, and then without a pause until another process has answered
    some too. How many each process has answered."""
    answered = Counter()
    ending = None
    while len(answered) < 2 or answered.total() < count:
        try:
            with belfry.connect() as client:
                pid = client.call("GetState")["pid"]
                for _ in range(count // 20):
                    client.send("Post", {"name": "org.example.tick"})
                for _ in range(count // 20):
                    client.reply()
                    answered[pid] += 1
        # On a busy machine systemd may not say in time that the stop is a restart: the path of the socket is then removed.
        except (EOFError, ConnectionError, FileNotFoundError):
            pass
        if ending is None and answered.total() >= count // 4:
            ending = interruption(belfry)
    assert ending.wait() == 0
    return answered


@pytest.mark.parametrize("interruption", [restart, crash])
def test_thousand_subscribers_lose_nothing_in_interruptions_during_posts(on_each, figures, interruption):
    # Of interruptions nothing may be lost; a busy machine that reads late is not what is tested.
    on_each.configure("[Socket]\nReplayMax=65536\nReplaySize=64M\n")
    on_each.start()
    with Crowd(on_each) as crowd:
        for _ in range(INTERRUPTIONS):
            on_each.host.systemctl("reset-failed")
            before = on_each.main_pid()
            answered = post_around(on_each, interruption, POSTS)
            assert set(answered) == {before, on_each.wait_for_another(before)}
        last = on_each.status()["sequence"]
        report = crowd.report(last)

    got = report.pop("got")
    what = f"{last - crowd.first} notifications, {INTERRUPTIONS} times {interruption.__name__}"
    figures.append(f"{SUBSCRIBERS} subscribers, {what}: {report}")
    assert report == CLEAN
    assert got == SUBSCRIBERS * (last - crowd.first)
    assert last - crowd.first >= INTERRUPTIONS * POSTS


WHEN_SUBSCRIBED = "until belfryctl status --json | grep -q '\"subscribers\":1,'; do sleep 0.1; done; belfryctl post org.example.next"


def test_loop_of_the_page_misses_nothing(on_each):
    on_each.start()
    seen: list[dict] = []
    interruptions = iter([restart, crash])

    def handle(notification: dict) -> None:
        seen.append(notification)
        if notification["name"] != "org.example.next":
            return
        before, interruption = on_each.main_pid(), next(interruptions, None)
        if interruption is None:
            raise SystemExit
        assert interruption(on_each).wait() == 0
        on_each.wait_for_another(before)
        post(on_each, 10)
        post(on_each, 1, "org.example.next")

    scope = {"connect": on_each.connect, "handle": handle, "time": time}
    with on_each.host.running("sh", "-c", WHEN_SUBSCRIBED), pytest.raises(SystemExit):
        exec(code_block("python", "client.reply()"), scope)

    assert [n["name"] for n in seen].count("didBecomeActive") == 2
    assert are_consecutive(seen)


def test_service_in_a_transient_unit_refuses_no_client_during_a_restart(on_each):
    path = "/run/belfry-alone/io.belfry.Lifecycle"
    host = on_each.host
    host.path("/run/belfry-alone").mkdir(exist_ok=True)
    properties = ["Type=notify", "Restart=on-failure", "RestartSec=500ms", "FileDescriptorStoreMax=64"]
    alone = ["systemd-run", "--quiet", "--unit=belfry-alone", "--collect", *(f"--property={p}" for p in properties)]
    host.run(*alone, "belfryd", "--config", "/dev/null", "--socket", path)
    try:
        subscriber = Subscriber(VarlinkClient(host.path(path)))
        host.systemctl("kill", "--signal=KILL", "belfry-alone.service")
        # The call waits in the socket until the service accepts it.
        with VarlinkClient(host.path(path)) as late:
            assert late.call("GetState")["pid"] != subscriber.state["pid"]
        subscriber.until("didBecomeActive")
        assert subscriber.is_consecutive()
    finally:
        host.systemctl("stop", "belfry-alone.service")


def test_service_whose_runtime_directory_is_removed_loses_no_notification(probe):
    settings = {"FileDescriptorStoreMax": "16", "Restart": "on-failure", "RestartSec": "0"}
    probe.start("count", **settings)
    # systemd removes the runtime directory, and the file that counts with it, when the process has ended.
    folder = probe.host.path("/run/belfry-probe")
    subscriber = Subscriber(VarlinkClient(folder / "io.belfry.Lifecycle"))
    first = probe.property("MainPID")
    probe.kill("KILL")
    subscriber.until("didBecomeActive")

    assert probe.property("MainPID") != first
    assert subscriber.is_consecutive()
