# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A restart, a crash and an upgrade lose nothing, double nothing and disconnect nobody."""

import json
import random
import subprocess
from pathlib import Path

import pytest
from belfry_service import SERVICE
from varlink_client import NOBODY, VarlinkClient, VarlinkError

SUBSCRIBERS = 1000
POSTS = 500
SOURCE = Path(__file__).with_name("subscribers.c")


@pytest.fixture(scope="session")
def program(tmp_path_factory) -> Path:
    program = tmp_path_factory.mktemp("subscribers") / "subscribers"
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", program, SOURCE], check=True)
    return program


class Crowd:
    """A thousand subscribers in a process of their own."""

    def __init__(self, program: Path, belfry, *filters: str, count: int = SUBSCRIBERS):
        # The path through /proc is too long for an address.
        folder = belfry.socket_path().parent
        self.process = subprocess.Popen(
            [program, belfry.socket_path().name, str(count), *filters],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.first = int(self.process.stdout.readline().split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def report(self, last: int) -> dict:
        """What they saw, once all have come to notification `last`."""
        out, _ = self.process.communicate(f"{last}\n", timeout=150)
        return json.loads(out)


def post(belfry, count: int, name: str = "org.example.tick") -> None:
    """Posts so many times, over as many connections as it takes."""
    while count:
        try:
            with belfry.connect() as client:
                for _ in range(count):
                    client.send("Post", {"name": name})
                while count:
                    client.reply()
                    count -= 1
        except (EOFError, ConnectionError):
            pass


def restart(belfry) -> subprocess.Popen:
    return subprocess.Popen(belfry.host.enter("systemctl", "restart", SERVICE))


def crash(belfry) -> subprocess.Popen:
    return subprocess.Popen(belfry.host.enter("systemctl", "kill", "--kill-who=main", "--signal=KILL", SERVICE))


CLEAN = {"lost": 0, "doubled": 0, "disconnected": 0, "errors": 0, "behind": 0}


def test_thousand_subscribers_live_through_restarts_and_crashes(anywhere, program, figures):
    anywhere.start()
    with Crowd(program, anywhere) as crowd:
        for interruption in [restart, crash] * 10:
            anywhere.host.systemctl("reset-failed")
            before = anywhere.main_pid()
            ending = interruption(anywhere)
            post(anywhere, POSTS)
            assert ending.wait() == 0
            anywhere.wait_for_another(before)
        last = anywhere.status()["sequence"]
        report = crowd.report(last)

    got = report.pop("got")
    figures.append(f"{SUBSCRIBERS} subscribers, {last - crowd.first} notifications, 10 restarts, 10 crashes: {report}")
    assert report == CLEAN
    assert got == SUBSCRIBERS * (last - crowd.first)
    assert last - crowd.first >= 20 * POSTS


def test_crashes_at_any_moment_under_load(anywhere, program):
    """No pause between them, and none for the daemon to come to rest."""
    anywhere.drop_in(RestartSec="10ms")
    anywhere.start()
    with Crowd(program, anywhere, count=20) as crowd:
        for _ in range(30):
            anywhere.host.systemctl("reset-failed")
            before = anywhere.main_pid()
            post(anywhere, random.randint(1, 300))
            ending = crash(anywhere)
            post(anywhere, random.randint(1, 300))
            assert ending.wait() == 0
            anywhere.wait_for_another(before)
        report = crowd.report(anywhere.status()["sequence"])

    report.pop("got")
    assert report == CLEAN


@pytest.mark.parametrize("interruption", [restart, crash])
def test_subscriber_to_some_names_gets_all_of_them_once(anywhere, interruption):
    anywhere.start()
    every = anywhere.subscribe()
    some = anywhere.subscribe(names=["org.example.tick", "org.example.end"])
    before = anywhere.main_pid()

    # More than the ring holds, none of which it wants.
    for _ in range(2):
        post(anywhere, 700, "org.example.other")
        post(anywhere, 1, "org.example.mark")
        every.until("org.example.mark")
    for _ in range(2):
        ending = interruption(anywhere)
        post(anywhere, 20)
        assert ending.wait() == 0
        before = anywhere.wait_for_another(before)
    post(anywhere, 1, "org.example.end")

    every.until("org.example.end")
    some.until("org.example.end")
    assert every.is_consecutive()
    assert some.seen == [n for n in every.seen if n["name"] in ("org.example.tick", "org.example.end")]


def test_subscriber_who_does_not_read_finds_the_rest_of_a_message_after_a_crash(anywhere):
    anywhere.start()
    sleeper = anywhere.subscribe()
    before = anywhere.main_pid()
    # More than the kernel holds for it, so that one message is only partly written.
    post(anywhere, 900)
    crash(anywhere).wait()
    anywhere.wait_for_another(before)
    post(anywhere, 1, "org.example.end")

    sleeper.until("org.example.end")

    assert sleeper.is_consecutive()


def test_subscriber_who_is_too_far_behind_is_told_after_a_crash(anywhere):
    anywhere.configure("[Socket]\nQueueMax=100\n")
    anywhere.start()
    sleeper = anywhere.subscribe()
    before = anywhere.main_pid()
    crash(anywhere).wait()
    anywhere.wait_for_another(before)
    post(anywhere, 3000)

    with pytest.raises(VarlinkError) as overrun:
        while True:
            sleeper.next()

    assert overrun.value.name == "io.belfry.Lifecycle.Overrun"
    assert sleeper.is_consecutive()


def test_stop_ends_a_subscription(anywhere):
    anywhere.start()
    subscriber = anywhere.subscribe()
    crash(anywhere).wait()
    subscriber.until("didBecomeActive")

    anywhere.host.systemctl("stop", SERVICE)

    assert list(subscriber.to_the_end())[-1]["name"] == "willTerminate"
    assert subscriber.is_consecutive()


def test_restart_takes_another_size_of_memory_into_use(anywhere):
    anywhere.start()
    subscriber = anywhere.subscribe()
    for text in ("ReplaySize=4M\nConnectionsMax=100", "ReplaySize=1M", ""):
        anywhere.configure(f"[Socket]\n{text}\n")
        anywhere.host.systemctl("restart", SERVICE)
        subscriber.until("didBecomeActive")

    assert subscriber.is_consecutive()


def test_subscriber_who_may_no_longer_look_is_refused_after_a_restart(anywhere):
    anywhere.start()
    subscriber = anywhere.subscribe()
    stranger = anywhere.connect(uid=NOBODY)
    stranger.send("Subscribe", {}, more=True)
    stranger.reply()
    anywhere.configure("[Socket]\nLook=owner\n")

    anywhere.host.systemctl("restart", SERVICE)

    with pytest.raises(VarlinkError, match="PermissionDenied"):
        while True:
            stranger.reply()
    subscriber.until("didBecomeActive")
    assert subscriber.is_consecutive()


def test_without_a_store_a_restart_is_a_clean_reconnect(anywhere):
    anywhere.drop_in(FileDescriptorStoreMax="0")
    anywhere.start()
    subscriber = anywhere.subscribe()

    anywhere.host.systemctl("restart", SERVICE)

    last = list(subscriber.to_the_end())[-1]
    assert last["name"] == "willTerminate"
    assert anywhere.status()["sequence"] > last["sequence"]


def test_service_with_a_socket_of_its_own_refuses_nobody_while_it_restarts(anywhere):
    """Nothing but the unit holds the socket, and that only in its store."""
    path = "/run/belfry-alone/io.belfry.Lifecycle"
    host = anywhere.host
    host.path("/run/belfry-alone").mkdir(exist_ok=True)
    properties = ["Type=notify", "Restart=on-failure", "RestartSec=500ms", "FileDescriptorStoreMax=64"]
    alone = ["systemd-run", "--quiet", "--unit=belfry-alone", "--collect", *(f"--property={p}" for p in properties)]
    host.run(*alone, "belfryd", "--config", "/dev/null", "--socket", path)
    try:
        subscriber = VarlinkClient(host.path(path))
        subscriber.send("Subscribe", {}, more=True)
        first = subscriber.reply()["state"]
        host.systemctl("kill", "--signal=KILL", "belfry-alone.service")
        # Waits in the socket until there is somebody to answer.
        with VarlinkClient(host.path(path)) as late:
            assert late.call("GetState")["pid"] != first["pid"]
        assert subscriber.reply()["notification"]["sequence"] == first["sequence"] + 1
    finally:
        host.systemctl("stop", "belfry-alone.service")
