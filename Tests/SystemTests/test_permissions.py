# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`Look=`, `Post=` and `Control=`: who may do what, from the moment a reload says so, on connections that are there too."""

import json

import pytest
from belfry_service import SERVICE
from varlink_client import NOBODY, VarlinkError

MEMBER = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--groups=belfry"]
STRANGER = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
REFUSED = 77


def allow(belfry, key: str, audience: str) -> None:
    """Brings it into force without a restart."""
    belfry.configure(f"[Socket]\n{key}={audience}\n")
    belfry.host.systemctl("reload", SERVICE)


def may(belfry, who: list[str], *command: str) -> bool:
    """Whether this user's belfryctl does it, rather than being told that it may not."""
    done = belfry.host.run(*who, "belfryctl", *command, check=False)
    assert done.returncode in (0, REFUSED), done.stderr
    return done.returncode == 0


@pytest.mark.parametrize(
    "key, command", [("Look", ["status"]), ("Post", ["post", "org.example.knock"]), ("Control", ["interrupt"])]
)
def test_reload_says_who_may(started_on_each, key, command):
    service = ["setpriv", "--reuid=belfry", "--regid=nogroup", "--clear-groups"]
    allowed = {}
    for audience in ("all", "privileged", "owner", "all"):
        allow(started_on_each, key, audience)
        allowed[audience] = [may(started_on_each, who, *command) for who in (STRANGER, MEMBER, service, [])]

    assert allowed == {
        "all": [True, True, True, True],
        "privileged": [False, True, True, True],
        "owner": [False, False, True, True],
    }


def test_client_that_has_posted_posts_no_more_when_a_reload_forbids_it(started_on_each):
    subscriber = started_on_each.subscribe(names=["org.example.knock", "org.example.end"])
    call = {"method": "io.belfry.Lifecycle.Post", "parameters": {"name": "org.example.knock", "userInfo": {"n": 1}}}
    knocks = (json.dumps(call | {"oneway": True}, separators=(",", ":")).encode() + b"\0") * 5
    with started_on_each.connect(uid=NOBODY) as client, started_on_each.connect() as owner:

        def knock() -> list[str]:
            """What comes of knocking in the same words as always."""
            client.send_raw(knocks)
            # When this is answered, so is what came before it.
            client.call("GetState")
            owner.call("Post", {"name": "org.example.end"})
            return [n["name"] for n in subscriber.until("org.example.end")][:-1]

        allow(started_on_each, "Post", "all")
        assert knock() == ["org.example.knock"] * 5
        assert knock() == ["org.example.knock"] * 5
        allow(started_on_each, "Post", "owner")
        assert knock() == []
        with pytest.raises(VarlinkError, match="PermissionDenied"):
            client.call("Post", call["parameters"])
        allow(started_on_each, "Post", "all")
        assert knock() == ["org.example.knock"] * 5

    refusals = [r for r in started_on_each.journal() if "refused io.belfry.Lifecycle.Post" in r["MESSAGE"]]
    assert len(refusals) == 6
    assert {r["BELFRY_SENDER_UID"] for r in refusals} == {str(NOBODY)}


def test_client_that_has_looked_looks_no_more_when_a_reload_forbids_it(started_on_each):
    with started_on_each.connect(uid=NOBODY) as client:
        client.call("GetState")
        allow(started_on_each, "Look", "owner")
        with pytest.raises(VarlinkError, match="PermissionDenied"):
            client.call("GetState")
        client.send("Subscribe", {}, more=True)
        with pytest.raises(VarlinkError, match="PermissionDenied"):
            client.reply()
        allow(started_on_each, "Look", "all")
        assert client.call("GetState")["state"] == "active"
