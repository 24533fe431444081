# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`belfryctl watch` over the stops and starts of a unit."""

import json
import queue
import threading
from contextlib import contextmanager

import pytest
from belfry_service import SERVICE, SOCKET

# nsenter passes no signal on, so what stands between ends the watch when its own input ends.
UNTIL_INPUT_ENDS = 'belfryctl watch --json "$@" <&- & read _; kill "$!"; wait "$!"'


class Watch:
    """`belfryctl watch --json`, read line by line."""

    def __init__(self, process):
        self.output, self.errors = self._read(process.stdout), self._read(process.stderr)

    def _read(self, stream) -> queue.Queue:
        lines = queue.Queue()
        threading.Thread(target=lambda: [lines.put(line) for line in stream], daemon=True).start()
        return lines

    def next(self) -> dict:
        return json.loads(self.output.get(timeout=20))

    def error(self) -> str:
        return self.errors.get(timeout=20)

    def until(self, name: str) -> list[dict]:
        """The notifications up to the one of that name."""
        seen = []
        while not seen or seen[-1]["name"] != name:
            seen += [reply["notification"] for reply in [self.next()] if "notification" in reply]
        return seen


@contextmanager
def watching(belfry, *names: str):
    with belfry.host.running("sh", "-c", UNTIL_INPUT_ENDS, "sh", *names) as process:
        watch = Watch(process)
        assert watch.next()["state"]["state"] == "active"
        yield watch
        process.stdin.close()
        assert process.wait(timeout=10) == 0


@pytest.fixture
def watch(started_on_each):
    with watching(started_on_each) as watch:
        yield watch


def is_consecutive(seen: list[dict]) -> bool:
    numbers = [notification["sequence"] for notification in seen]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_watch_misses_nothing_of_a_restart(started_on_each, watch):
    started_on_each.host.systemctl("restart", SERVICE)

    seen = watch.until("didBecomeActive")
    assert [notification["name"] for notification in seen][-4:] == [
        "willTerminate",
        "willFinishLaunching",
        "didFinishLaunching",
        "didBecomeActive",
    ]
    assert is_consecutive(seen)


def test_watch_does_not_start_what_was_stopped(started_on_each, watch):
    started_on_each.host.systemctl("stop", SERVICE)
    watch.until("willTerminate")
    assert "waiting for it" in watch.error()
    assert started_on_each.properties("ActiveState") == {"ActiveState": "inactive"}

    # Long enough for any of its attempts: they begin at 50 ms and come every 2 s in the end.
    with pytest.raises(queue.Empty):
        watch.output.get(timeout=5)
    assert started_on_each.properties("ActiveState") == {"ActiveState": "inactive"}
    assert started_on_each.host.properties(SOCKET, "ActiveState") == {"ActiveState": "active"}

    started_on_each.start()
    assert "reconnected" in watch.error()
    assert [n["name"] for n in watch.until("didBecomeActive")][0] == "willFinishLaunching"


def test_watch_goes_on_after_a_crash(started_on_each, watch):
    started_on_each.kill("KILL")

    assert watch.until("didBecomeActive")[-1]["origin"]["kind"] == "service"


def test_watch_goes_on_where_it_was_when_connections_are_not_kept(on_each):
    on_each.drop_in(FileDescriptorStoreMax="0")
    on_each.start()
    with watching(on_each) as watch:
        on_each.ctl("post", "org.example.before")
        seen = watch.until("org.example.before")
        on_each.host.systemctl("restart", SERVICE)
        on_each.ctl("post", "org.example.after")
        seen += watch.until("org.example.after")
        assert watch.error() == "belfryctl: the service has closed the connection, waiting for it\n"
        assert watch.error() == "belfryctl: reconnected\n"
    assert [n["name"] for n in seen if n["name"].startswith("will")][-2:] == ["willTerminate", "willFinishLaunching"]
    assert is_consecutive(seen)


def test_watch_of_some_names_is_told_of_no_others(started_on_each):
    with watching(started_on_each, "org.example.tick", "org.example.tock") as watch:
        for name in ("org.example.other", "org.example.tick", "org.example.another", "org.example.tock"):
            started_on_each.ctl("post", name)
        assert [watch.next()["notification"]["name"] for _ in range(2)] == ["org.example.tick", "org.example.tock"]
