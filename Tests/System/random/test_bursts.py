# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Bursts of posts, and what their subscribers get: everything, or an Overrun with the right count."""

import socket
import threading

import pytest
from hostile_clients import call
from managed_service import ManagedService
from subscription_clients import Reader
from subscription_model import Entry, History, Memory

# socket(7)
SO_SNDBUFFORCE = 32
NAME = "org.example.burst"
LAUNCH = ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"]
# ReplaySize= and ReplayMax=, as they are without a configuration.
SIZE, MOST = 4 << 20, 8192
# A post of 1 MiB, which fits into FrameMax=.
LONG = (1 << 20) - 200


@pytest.fixture
def service(tmp_path):
    service = ManagedService(tmp_path, "[Logger]\nTarget=null\n[Socket]\nGroup=root\n")
    service.start()
    yield service
    service.close()


@pytest.fixture
def history():
    history = History(Memory(SIZE, MOST))
    history.append(*map(Entry, LAUNCH))
    return history


@pytest.fixture
def subscribed(service, history):
    """Makes so many subscribers, which have read the state."""

    def subscribe(count: int) -> list[Reader]:
        readers = [Reader(history) for _ in range(count)]
        for reader in readers:
            reader.ask(service.connect, None, None)
            reader.catch_up(lambda: answered(service))
        return readers

    return subscribe


def answered(service) -> int:
    with service.connect() as client:
        return client.call("GetState")["sequence"]


def posts(history: History, count: int, size: int = 0) -> bytes:
    """One-way posts, which the history has from now on."""
    first = history.last
    history.append(*(Entry(NAME, mark, size) for mark in range(first, first + count)))
    fill = "x" * size
    return b"".join(
        call("Post", {"name": NAME, "userInfo": {"mark": mark, "fill": fill}}, oneway=True) for mark in range(first, history.last)
    )


def test_burst_in_one_write_reaches_a_prompt_reader_whole(service, history, subscribed):
    [reader] = subscribed(1)
    burst = posts(history, 3000)
    with service.connect() as client:
        client.socket.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 4 * len(burst))
        assert client.socket.send(burst) == len(burst)
        reader.catch_up(lambda: answered(service))

    assert reader.is_subscribed and reader.seen == history.last


def test_long_burst_reaches_a_prompt_reader_or_is_an_overrun_with_the_right_count(service, history, subscribed):
    [reader] = subscribed(1)
    burst = posts(history, 100_000)
    with service.connect() as client:
        sender = threading.Thread(target=client.send_raw, args=(burst,))
        sender.start()
        while sender.is_alive() or answered(service) < history.last:
            if reader.is_subscribed:
                reader.read(1 << 20)
        sender.join()
        reader.catch_up(lambda: answered(service))

    # It asks for the rest, as docs/socket.md says.
    reader.ask(service.connect, None, reader.seen)
    reader.catch_up(lambda: answered(service))
    if not reader.is_subscribed:
        reader.ask(service.connect, None, history.memory.told[0] - 1)
        reader.catch_up(lambda: answered(service))
    assert reader.is_subscribed and reader.seen == history.last


def test_stalled_readers_of_a_long_notification_get_overrun_and_keep_their_connections(service, history, subscribed):
    readers = subscribed(64)
    with service.connect() as client:
        for _ in range(8):
            client.send_raw(posts(history, 1, LONG))
        assert client.call("GetState")["sequence"] == history.last
    for reader in readers:
        reader.catch_up(lambda: answered(service))

    # Each has read what was on its way, and can call on the same connection.
    assert not any(reader.is_subscribed for reader in readers)
    for reader in readers:
        reader.link.socket.settimeout(20)
        assert reader.link.call("GetState")["sequence"] == history.last
        reader.leave()
