# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Past notifications come from memory, and for `belfryctl watch` from the journal before that."""

import json

from interruptions import crash, flood
from varlink_client import numbers

# More than fit in memory, and fewer than may wait for journald.
MANY = 3000


def watched(belfry, after: int, last: int, *arguments: str) -> tuple[list[dict], list[str]]:
    """The notifications that belfryctl prints after a number, up to another, and its notes."""
    seen = []
    with belfry.running_ctl("watch", "--json", "--after", str(after), *arguments) as watch:
        while not seen or seen[-1]["sequence"] < last:
            line = json.loads(watch.stdout.readline())
            if "notification" in line:
                seen.append(line["notification"])
        watch.kill()
        notes = watch.stderr.read().splitlines()
    return seen, notes


def test_notification_from_memory_equals_the_original(on_each):
    on_each.start()
    live = on_each.subscribe()
    with on_each.connect() as client:
        info = {"a": [1, -2.5, True, None, {"b": {}}], "text": 'ü\n\t"\\', "long": "0123456789" * 2_000}
        client.call("Post", {"name": "org.example.info", "userInfo": info})
    on_each.kill("TSTP")
    live.until("didEnterBackground")
    crash(on_each).wait()
    live.until("didEnterBackground")

    again = on_each.subscribe(after=live.state["sequence"])
    again.until("didEnterBackground")
    again.until("didEnterBackground")

    assert live.is_consecutive()
    # In the same order of members too.
    assert [json.dumps(n) for n in again.seen] == [json.dumps(n) for n in live.seen]


def test_watch_shows_what_only_the_journal_has(on_each):
    on_each.start()
    live = on_each.subscribe()
    with on_each.connect() as client:
        client.call("Post", {"name": "org.example.info", "userInfo": {"a": [1, None, {"b": "ü"}], "c": ""}})
    live.until("org.example.info")
    crash(on_each).wait()
    live.until("didBecomeActive")
    first = live.state["sequence"]
    flood(on_each, MANY)
    last = on_each.status()["sequence"]

    seen, notes = watched(on_each, first, last)

    assert numbers(seen) == list(range(first + 1, last + 1)) and notes == []
    # In a container the journal has the boot ID of journald, which may be another than that of the kernel.
    [boot] = {seen[index].pop("bootId") for index in range(len(live.seen))}
    assert len(boot) == 32 and len({n.pop("bootId") for n in live.seen}) == 1
    assert [json.dumps(n) for n in seen[: len(live.seen)]] == [json.dumps(n) for n in live.seen]
    some, _ = watched(on_each, first, live.seen[-1]["sequence"], "--on", "didBecomeActive")
    assert numbers(some) == [live.seen[-1]["sequence"]]
