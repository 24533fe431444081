# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Many connections of one user and of several: owners can still connect, memory stays bounded, and the journal is not flooded."""

import socket
import time

import pytest
from bystanders import BYSTANDER, GROWTH_OF_MANY, MIB, unharmed
from hostile_clients import FIRST, HostileClients, assail, call
from varlink_client import NOBODY, VarlinkError

CONNECTIONS = 4 * 1024


def most_records(since: float, users: int = 1) -> int:
    """Most records about so many users since that moment, in each interval of 30 s: see RecordLimit.swift."""
    return 25 * users * (1 + int(time.monotonic() - since) // 30)


def records_about_clients(belfry) -> list[dict]:
    """Those about the hostile ones."""
    about = [r for r in belfry.journal() if r.get("MESSAGE_ID") == "6d0a4e6f2f0b4c0f9d9b1f7f4d1c8e21"]
    return [r for r in about if r["BELFRY_SENDER_UID"] != str(BYSTANDER)]


def test_four_users_with_all_connections_do_not_lock_the_owners_out(started, figures):
    """Another user is refused with an error; the owners, and connected clients, are not affected."""
    with unharmed(started, figures, "4 users with 1024 connections each", GROWTH_OF_MANY, newcomers=(0,)) as go_around:
        with HostileClients(started, [call("Subscribe", more=True)], CONNECTIONS, users=4):
            go_around()
            assert "active" in started.ctl("status").stdout
            started.ctl("reload")
            started.host.systemctl("reload", started.name)
            as_member = ["setpriv", f"--reuid={BYSTANDER}", f"--regid={started.group()}", "--clear-groups"]
            assert "active" in started.host.run(*as_member, "belfryctl", "status").stdout


def test_thousand_users_of_one_person_do_not_delay_the_owners(started, figures):
    """One person can have many users (subuid(5)): strangers share their part of each turn."""
    with unharmed(started, figures, "1000 users who call without end", GROWTH_OF_MANY, newcomers=(0,)):
        assail(started, [call("GetState") * 100], 1000, users=1000, rounds=3, read=True)


def test_one_user_with_all_its_connections_locks_no_other_out(started, figures):
    begin = time.monotonic()
    with unharmed(started, figures, "3000 connections of one user") as go_around:
        with HostileClients(started, [call("GetState")], 3000):
            go_around()
            started.ctl("reload")
    assert 1 <= len(records_about_clients(started)) <= most_records(begin)


def test_connections_that_end_in_the_middle_of_a_frame(started, figures):
    begin = time.monotonic()
    frame = b'{"method":"org.varlink.service.GetInfo","parameters":{"x":"' + b"y" * 200
    with unharmed(started, figures, "20000 connections of 4 users that close in a frame"):
        assail(started, [frame[:length] for length in range(1, 200, 2)], 100, users=4, rounds=200, anew=True)
    assert len(records_about_clients(started)) <= most_records(begin, users=4)


def test_refused_calls_do_not_fill_the_journal(started, figures):
    begin = time.monotonic()
    with unharmed(started, figures, "2000 refused calls"):
        done = assail(started, [call("Pause") * 2000], read=True)
        assert done["errors"] == 2000, done
    records = [r for r in records_about_clients(started) if "refused io.belfry.Lifecycle.Pause" in r["MESSAGE"]]
    assert 1 <= len(records) <= most_records(begin)
    assert {r["BELFRY_SENDER_UID"] for r in records} == {str(FIRST)}
    assert "permission denied" in records[0]["MESSAGE"]


def test_descriptors_are_not_taken(started):
    with started.connect(uid=NOBODY) as giver:
        try:
            giver.socket.getsockopt(socket.SOL_SOCKET, 83)
        except OSError:
            pytest.skip("this kernel has no SO_PASSRIGHTS, and takes them on behalf of the daemon")
        with pytest.raises(PermissionError):
            socket.send_fds(giver.socket, [b"{"], [0])


def names(number: int, bytes: int = 4000) -> list[str]:
    """Names of this many bytes that no other client uses."""
    return [f"org.example.crowd-{number}-{index:03}.{'x' * 200}" for index in range(bytes // 230)]


def test_thousand_different_filters(started, figures):
    filters = [call("Subscribe", {"names": names(number)}, more=True) for number in range(1000)]
    with unharmed(started, figures, "1000 subscribers, each with 4 KB of names of its own", 60 * MIB) as go_around:
        with HostileClients(started, filters, 1000):
            go_around()


def test_filtered_subscribers_that_do_not_read_share_the_memory_of_messages(started, figures):
    filters = [call("Subscribe", {"names": ["org.example.common", f"org.example.own-{n}"]}, more=True) for n in range(500)]
    post = call("Post", {"name": "org.example.common", "userInfo": {"filler": "x" * 1000}})
    with unharmed(started, figures, "500 with filters of their own who do not read, 1.4 MB posted") as go_around:
        with HostileClients(started, filters, 500):
            assail(started, [post * 1000], privileged=True, read=True)
            go_around()


@pytest.mark.parametrize(
    "given, error, parameters",
    [
        (["didReload", "bad name"], "io.belfry.Lifecycle.InvalidName", {"name": "bad name"}),
        (["x" * 256], "io.belfry.Lifecycle.InvalidName", {"name": "x" * 256}),
        (["a"] * 257, "org.varlink.service.InvalidParameter", {"parameter": "names"}),
        (names(1, 4600), "org.varlink.service.InvalidParameter", {"parameter": "names"}),
    ],
    ids=["name", "length", "count", "bytes"],
)
def test_filter_has_limits_and_its_errors_name_the_cause(started, given, error, parameters):
    with started.connect() as client:
        client.send("Subscribe", {"names": given}, more=True)
        with pytest.raises(VarlinkError) as refused:
            client.reply()
    assert (refused.value.name, refused.value.parameters) == (error, parameters)
