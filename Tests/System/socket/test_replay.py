# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Past notifications come from memory, and `belfryctl history` shows older ones."""

import json

from interruptions import crash, flood
from varlink_client import numbers

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


def test_watch_says_what_only_the_journal_has_and_history_shows_it(on_each):
    on_each.configure("[Socket]\nReplayMax=512\n")
    on_each.start()
    live = on_each.subscribe()
    with on_each.connect() as client:
        client.call("Post", {"name": "org.example.info", "userInfo": {"a": [1, None, {"b": "ü"}], "c": ""}})
    live.until("org.example.info")
    crash(on_each).wait()
    live.until("didBecomeActive")
    first = live.state["sequence"]
    flood(on_each, 2000)

    with on_each.running_ctl("watch", "--after", str(first)) as watch:
        note = watch.stderr.readline()
        watch.kill()
    past = [json.loads(line)["notification"] for line in on_each.ctl("history", "--json").stdout.splitlines()]

    assert note.startswith(f"belfryctl: notifications {first + 1} to ") and "'belfryctl history'" in note
    # In a container the journal has the boot ID of journald, which may be another than that of the kernel.
    start = len(past) - 1 - numbers(past)[::-1].index(first + 1)
    shown = past[start : start + len(live.seen)]
    assert all(len(notification.pop("bootId")) == 32 for notification in shown)
    for notification in live.seen:
        del notification["bootId"]
    assert [json.dumps(n) for n in shown] == [json.dumps(n) for n in live.seen]
