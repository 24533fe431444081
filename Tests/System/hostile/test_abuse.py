# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Misbehaving clients. Other clients are not affected, and memory stays bounded: the figures are at the end of the
test run."""

import json
import socket
import time
from contextlib import ExitStack, suppress

import pytest
from pulse import BOUND
from varlink_client import NOBODY, VarlinkError

pytestmark = pytest.mark.usefixtures("many_descriptors")


def records_about_clients(belfry) -> list[dict]:
    return [r for r in belfry.journal() if r.get("MESSAGE_ID") == "6d0a4e6f2f0b4c0f9d9b1f7f4d1c8e21"]


def is_closed(client) -> bool:
    try:
        client.receive()
    except (EOFError, ConnectionResetError, BrokenPipeError):
        return True
    return False


def test_4096_connections(started, bystander, figures):
    """Four users have all connections, 1024 each. Another one of theirs is closed. Root and all 4096 are served."""
    with ExitStack() as stack:
        crowd = []
        for uid in range(20001, 20005):
            crowd += [stack.enter_context(started.connect(uid=uid)) for _ in range(1024)]
        bystander.pulse()
        served = [client for client in crowd if not turned_away(client)]
        # The bystander's two are among the 4096.
        assert len(served) == 4094
        assert is_closed(stack.enter_context(started.connect(uid=20001)))
        assert stack.enter_context(started.connect()).call("GetState")["state"] == "active"
        for client in served[::100]:
            assert client.call("GetState")["state"] == "active"
        bystander.pulse()
        each = (bystander.memory("VmRSS") - bystander.before) / len(served)
        grown = bystander.figures("4096 connections", figures, f"{each:.0f} B each")
    assert grown <= 4096 * 4096
    bystander.pulse()
    assert started.connect().call("GetState")["state"] == "active"


def turned_away(client) -> bool:
    client.socket.setblocking(False)
    try:
        return client.socket.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
    finally:
        client.socket.settimeout(20)


def test_user_with_too_many_connections_does_not_keep_others_out(started, bystander, figures):
    with ExitStack() as stack:
        crowd = [stack.enter_context(started.connect(uid=NOBODY)) for _ in range(1500)]
        bystander.pulse()
        assert sum(turned_away(client) for client in crowd) == 1500 - 1024
        assert started.connect().call("GetState")["state"] == "active"
        bystander.figures("1500 connections of one user", figures)
    records = records_about_clients(started)
    assert 1 <= len(records) <= 25, "the journal is not flooded"


def test_subscriber_that_never_reads(started, bystander, figures):
    with started.connect(uid=NOBODY) as sleeper:
        sleeper.send("Subscribe", {}, more=True)
        filler = "x" * 10_000
        for _ in range(2000):
            bystander.poster.call("Post", {"name": "org.example.filler", "userInfo": {"filler": filler}})
        bystander.pulse()
        grown = bystander.figures("a subscriber that never reads, 20 MB posted", figures)
        with pytest.raises(VarlinkError, match="Overrun"):
            while True:
                sleeper.reply()
    # Past notifications are kept too, and these were long.
    assert grown <= BOUND + 2 * 1024 * 10_500


def test_caller_that_never_reads(started, bystander, figures):
    with started.connect(uid=NOBODY) as caller:
        describe = "org.varlink.service.GetInterfaceDescription"
        call = json.dumps({"method": describe, "parameters": {"interface": "io.belfry.Lifecycle"}}).encode() + b"\0"
        caller.socket.settimeout(1)
        sent = 0
        with pytest.raises(TimeoutError):
            while sent < 64 << 20:
                caller.socket.sendall(call * 500)
                sent += len(call) * 500
        bystander.pulse()
        grown = bystander.figures("a caller that never reads", figures)
    assert grown <= BOUND


def test_byte_a_second(started, bystander, figures):
    with started.connect(uid=NOBODY) as slow:
        for byte in b'{"met':
            slow.send_raw(bytes([byte]))
            bystander.pulse()
            time.sleep(1)
        slow.send_raw(b'hod":"io.systemd.service.Ping"}\0')
        assert slow.reply() == {}
        grown = bystander.figures("a byte a second", figures)
    assert grown <= BOUND


def test_gigabyte_without_a_nul(started, bystander, figures):
    sent = 0
    with started.connect(uid=NOBODY) as endless:
        chunk = b'{"method":"' + b"x" * (1 << 16)
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            while sent < 1 << 30:
                endless.send_raw(chunk)
                sent += len(chunk)
                if sent % (1 << 20) < len(chunk):
                    bystander.pulse(1)
    grown = bystander.figures("a gigabyte without a NUL", figures, f"cut off after {sent / 2**20:.1f} MiB")
    assert sent < 4 << 20
    assert grown <= BOUND


def test_many_gigabytes_at_once(started, bystander, figures):
    """A hundred clients each with a frame that is almost too long: what they hold is what the limit allows."""
    with ExitStack() as stack:
        crowd = [stack.enter_context(started.connect(uid=NOBODY)) for _ in range(100)]
        for client in crowd:
            with suppress(BrokenPipeError, ConnectionResetError):
                client.send_raw(b"x" * ((1 << 20) - 100))
            bystander.pulse(1)
        left = sum(not turned_away(client) for client in crowd)
        grown = bystander.figures("100 frames of 1 MiB that do not end", figures, f"{left} were taken")
        # 64 MiB of a user, in buffers that grow by doubling.
        assert 32 <= left <= 64
        assert grown <= (64 << 20) + BOUND
    bystander.pulse()
    with started.connect(uid=NOBODY) as again:
        again.send_raw(b'{"method":"io.systemd.service.Ping"' + b" " * (1 << 19) + b"}\0")
        assert again.reply() == {}


def test_death_in_the_middle_of_a_frame(started, bystander, figures):
    for length in range(1, 200):
        with started.connect(uid=NOBODY) as dying:
            dying.send_raw((b'{"method":"io.systemd.service.Ping","parameters":{"x":"' + b"y" * 200)[:length])
        bystander.pulse(1)
    grown = bystander.figures("199 deaths in the middle of a frame", figures)
    assert grown <= BOUND
    assert len(records_about_clients(started)) <= 25


def test_thousand_that_connect_and_vanish(started, bystander, figures):
    for number in range(1000):
        started.connect(uid=NOBODY).socket.close()
        if number % 50 == 0:
            bystander.pulse(1)
    bystander.pulse()
    grown = bystander.figures("1000 that connect and vanish", figures)
    assert grown <= BOUND
    metrics = {m["name"]: m["value"] for m in bystander.poster.collect("io.systemd.Metrics.List")}
    assert metrics["io.belfry.Lifecycle.Connections"] == 2


def test_refused_calls_do_not_fill_the_journal(started, bystander, figures):
    with started.connect(uid=NOBODY) as stranger:
        for _ in range(2000):
            with pytest.raises(VarlinkError, match="PermissionDenied"):
                stranger.call("Pause")
    bystander.pulse()
    bystander.figures("2000 refused calls", figures)
    records = [r for r in records_about_clients(started) if "refused io.belfry.Lifecycle.Pause" in r["MESSAGE"]]
    assert 1 <= len(records) <= 25
    assert {r["BELFRY_SENDER_UID"] for r in records} == {str(NOBODY)}
    assert "permission denied" in records[0]["MESSAGE"]


def test_descriptors_are_not_taken(started, bystander):
    with started.connect(uid=NOBODY) as giver:
        try:
            giver.socket.getsockopt(socket.SOL_SOCKET, 83)
        except OSError:
            pytest.skip("this kernel has no SO_PASSRIGHTS, and takes them on behalf of the daemon")
        with pytest.raises(PermissionError):
            socket.send_fds(giver.socket, [b"{"], [0])
    bystander.pulse()
