# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`belfryctl watch` that loses its permission, and the longest notification that it gets."""

import json

import pytest
from belfry_service import ADDRESS
from users import STRANGER
from varlink_client import INTERFACE


@pytest.mark.parametrize("command", [["watch"], ["wait", "org.example.never"]], ids=["watch", "wait"])
def test_watch_without_permission_after_a_reload_gets_a_message(started_on_each, command):
    with started_on_each.host.running(*STRANGER, "belfryctl", *command) as watch:
        started_on_each.wait_for(lambda: started_on_each.status()["subscribers"] == 1, "be subscribed to")
        started_on_each.allow("Look", "owner")
        assert watch.wait(20) == 77
        assert watch.stderr.read().startswith(f"unable to watch '{ADDRESS}': permission denied\n")


def longest_post(name: str, size: int) -> tuple[bytes, int]:
    """A call of `Post` with exactly this many bytes, and how many of them are text in its user info."""

    def call(text: str) -> bytes:
        parameters = {"name": name, "userInfo": {"text": text}}
        return json.dumps({"method": f"{INTERFACE}.Post", "parameters": parameters}).encode()

    room = size - len(call(""))
    return call("x" * room) + b"\0", room


@pytest.mark.parametrize("size", [1 << 20, 16 << 20], ids=["1M", "16M"])
def test_longest_permitted_post_reaches_subscribers(on_each, size):
    on_each.configure(f"[Socket]\nFrameMax={size}\nReplaySize={3 * size}\n")
    on_each.start()
    post, room = longest_post("org.example.long", size)
    name = "org.example.long"
    with on_each.running_ctl("watch", "--json", "--on", name) as watch, on_each.running_ctl("wait", "--json", name) as wait:
        on_each.wait_for(lambda: on_each.status()["subscribers"] == 2, "be subscribed to")
        with on_each.connect() as client:
            client.send_raw(post)
            sequence = client.reply()["sequence"]
        assert json.loads(watch.stdout.readline())["state"]["state"] == "active"
        seen = [json.loads(program.stdout.readline())["notification"] for program in (watch, wait)]
        assert wait.wait(20) == 0
    assert [(n["sequence"], len(n["userInfo"]["text"])) for n in seen] == [(sequence, room)] * 2
