# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`belfryctl watch` over the stops and starts of a unit."""

import json
import queue
import threading

import pytest
from belfry_service import SERVICE, SOCKET

# nsenter passes no signal on, so what stands between ends the watch when its own input ends.
UNTIL_INPUT_ENDS = 'belfryctl watch --json <&- & read _; kill "$!"; wait "$!"'


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


@pytest.fixture
def watch(started):
    with started.host.running("sh", "-c", UNTIL_INPUT_ENDS) as process:
        watch = Watch(process)
        assert watch.next()["state"]["state"] == "active"
        yield watch
        process.stdin.close()
        assert process.wait(timeout=10) == 0


def test_watch_misses_nothing_of_a_restart(started, watch):
    started.host.systemctl("restart", SERVICE)

    seen = watch.until("didBecomeActive")
    numbers = [notification["sequence"] for notification in seen]
    assert [notification["name"] for notification in seen][-4:] == [
        "willTerminate",
        "willFinishLaunching",
        "didFinishLaunching",
        "didBecomeActive",
    ]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_watch_does_not_start_what_was_stopped(started, watch):
    started.host.systemctl("stop", SERVICE)
    watch.until("willTerminate")
    assert "waiting for it" in watch.error()
    assert started.properties("ActiveState") == {"ActiveState": "inactive"}

    # Long enough for any of its attempts: they begin at 50 ms and come every 2 s in the end.
    with pytest.raises(queue.Empty):
        watch.output.get(timeout=5)
    assert started.properties("ActiveState") == {"ActiveState": "inactive"}
    assert started.host.properties(SOCKET, "ActiveState") == {"ActiveState": "active"}

    started.start()
    assert "reconnected" in watch.error()
    assert [n["name"] for n in watch.until("didBecomeActive")][0] == "willFinishLaunching"


def test_watch_goes_on_after_a_crash(started, watch):
    started.kill("KILL")

    assert watch.until("didBecomeActive")[-1]["origin"]["kind"] == "service"
