# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`Look=`, `Post=` and `Control=`: permissions change with a reload, also for connected clients. What the service may not do."""

import json

import pytest
from belfry_service import SERVICE
from users import ITSELF, MEMBER, STRANGER
from varlink_client import NOBODY, Subscriber, VarlinkError

REFUSED = 77


def may(belfry, who: list[str], *command: str) -> bool:
    """Whether belfryctl of this user succeeds; otherwise permission is denied."""
    done = belfry.host.run(*who, "belfryctl", *command, check=False)
    assert done.returncode in (0, REFUSED), done.stderr
    return done.returncode == 0


@pytest.mark.parametrize(
    "key, command", [("Look", ["status"]), ("Post", ["post", "org.example.knock"]), ("Control", ["interrupt"])]
)
def test_reload_changes_permissions(started_on_each, key, command):
    allowed = {}
    for audience in ("all", "privileged", "owner", "all"):
        started_on_each.allow(key, audience)
        allowed[audience] = [may(started_on_each, who, *command) for who in (STRANGER, MEMBER, ITSELF, [])]

    assert allowed == {
        "all": [True, True, True, True],
        "privileged": [False, True, True, True],
        "owner": [False, False, True, True],
    }


def test_a_refusal_names_the_group_that_may(started_on_each):
    done = started_on_each.host.run(*STRANGER, "belfryctl", "pause", "belfryd", check=False)
    assert done.returncode == REFUSED and "its group may do this: 'belfry'" in done.stderr


def test_reload_can_forbid_posting_to_a_client_that_has_posted(started_on_each):
    subscriber = started_on_each.subscribe(names=["org.example.knock", "org.example.end"])
    call = {"method": "io.belfry.Lifecycle.Post", "parameters": {"name": "org.example.knock", "userInfo": {"n": 1}}}
    knocks = (json.dumps(call | {"oneway": True}, separators=(",", ":")).encode() + b"\0") * 5
    with started_on_each.connect(uid=NOBODY) as client, started_on_each.connect() as owner:

        def knock() -> list[str]:
            """The reply to the same call as before."""
            client.send_raw(knocks)
            # When this is answered, so is what came before it.
            client.call("GetState")
            owner.call("Post", {"name": "org.example.end"})
            return [n["name"] for n in subscriber.until("org.example.end")][:-1]

        started_on_each.allow("Post", "all")
        assert knock() == ["org.example.knock"] * 5
        assert knock() == ["org.example.knock"] * 5
        started_on_each.allow("Post", "owner")
        assert knock() == []
        with pytest.raises(VarlinkError, match="PermissionDenied"):
            client.call("Post", call["parameters"])
        started_on_each.allow("Post", "all")
        assert knock() == ["org.example.knock"] * 5

    refusals = [r for r in started_on_each.journal() if "refused io.belfry.Lifecycle.Post" in r["MESSAGE"]]
    assert len(refusals) == 6
    assert {r["BELFRY_SENDER_UID"] for r in refusals} == {str(NOBODY)}


def test_subscriber_without_permission_after_a_reload_gets_an_error(started_on_each):
    owner = started_on_each.subscribe()
    stranger = Subscriber(started_on_each.connect(uid=NOBODY))

    started_on_each.allow("Look", "owner")
    with pytest.raises(VarlinkError, match="PermissionDenied"):
        stranger.until("org.example.end")
    started_on_each.allow("Look", "all")
    again = Subscriber(stranger.client, after=stranger.seen[-1]["sequence"])
    started_on_each.host.systemctl("restart", SERVICE)
    with started_on_each.connect() as client:
        client.call("Post", {"name": "org.example.end"})

    assert [n["name"] for n in stranger.seen] == ["willReload", "didReload"]
    everything = owner.until("org.example.end")
    assert stranger.seen + again.until("org.example.end") == everything
    assert owner.is_consecutive()
    (refusal,) = [r for r in started_on_each.journal() if "refused io.belfry.Lifecycle.Subscribe" in r["MESSAGE"]]
    assert refusal["BELFRY_SENDER_UID"] == str(NOBODY)


def test_service_cannot_change_its_configuration_nor_the_programs_of_listeners(on_each):
    on_each.configure("")
    on_each.start()

    for path in ("/etc/belfry/belfry.conf", "/etc/belfry/x"):
        command = ["nsenter", f"--target={on_each.main_pid()}", "--mount", "touch", path]
        assert "Read-only file system" in on_each.host.run(*command, check=False).stderr
