# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Many clients that may only look. Other clients are not affected, and memory stays bounded."""

import json
from contextlib import ExitStack

import pytest
from pulse import BOUND
from varlink_client import NOBODY, Subscriber, VarlinkError

pytestmark = pytest.mark.usefixtures("many_descriptors")
CROWD = 1000
# Memory for one of them: a piece of the past, its filter, its calls and replies.
EACH = 48 << 10


def names(number: int, bytes: int = 4000) -> list[str]:
    """Names of this many bytes that no other client uses."""
    return [f"org.example.crowd-{number}-{index:03}.{'x' * 200}" for index in range(bytes // 230)]


def crowd(belfry, stack: ExitStack, size: int = CROWD) -> list:
    return [stack.enter_context(belfry.connect(uid=NOBODY)) for _ in range(size)]


def test_thousand_different_filters(started, bystander, figures):
    with ExitStack() as stack:
        clients = crowd(started, stack)
        for number, client in enumerate(clients):
            client.send("Subscribe", {"names": names(number)}, more=True)
        bystander.pulse(5)
        assert all("state" in client.reply() for client in clients)
        bystander.pulse(5)
        grown = bystander.figures("1000 subscribers, each with 4 KB of names of its own", figures)
        for client in clients[:500]:
            client.socket.close()
        bystander.pulse(5)
    assert grown <= CROWD * EACH + BOUND


def test_thousand_clients_that_ask_for_the_past_and_do_not_read_it(started, bystander, figures):
    post(bystander, "org.example.past", 1000, 700)
    last = bystander.poster.call("GetState")["sequence"]
    with ExitStack() as stack:
        clients = crowd(started, stack)
        for client in clients:
            client.send("Subscribe", {"after": last - 900}, more=True)
        bystander.pulse(5)
        grown = bystander.figures("1000 who ask for 0.9 MB of the past and do not read", figures)
        reader = clients[500]
        reader.reply()
        seen = [reader.reply()["notification"]["sequence"] for _ in range(900)]
    assert seen == list(range(last - 899, last + 1))
    assert grown <= CROWD * EACH + BOUND


def test_filtered_subscribers_that_do_not_read_share_the_memory_of_messages(started, bystander, figures):
    with ExitStack() as stack:
        for number, client in enumerate(crowd(started, stack, 500)):
            Subscriber(client, names=["org.example.common", f"org.example.own-{number}"])
        post(bystander, "org.example.common", 1000, 1000)
        bystander.pulse(5)
        grown = bystander.figures("500 with filters of their own who do not read, 1.4 MB posted", figures)
    assert grown <= 500 * EACH + BOUND


def test_thousand_callers_that_do_not_read(started, bystander, figures):
    describe = "org.varlink.service.GetInterfaceDescription"
    call = json.dumps({"method": describe, "parameters": {"interface": "io.belfry.Lifecycle"}}).encode() + b"\0"
    with ExitStack() as stack:
        for client in crowd(started, stack):
            client.send_raw(call * 50)
        bystander.pulse(5)
        grown = bystander.figures("1000 who ask for 50 descriptions and do not read", figures)
    assert grown <= CROWD * 3 * EACH + BOUND


def post(bystander, name: str, count: int, size: int) -> None:
    for number in range(count):
        bystander.poster.call("Post", {"name": name, "userInfo": {"filler": "x" * size, "number": number}})


def test_filter_has_limits_and_its_errors_name_the_cause(started):
    with started.connect() as client:

        def refusal(names: list[str]) -> VarlinkError:
            client.send("Subscribe", {"names": names}, more=True)
            with pytest.raises(VarlinkError) as refused:
                client.reply()
            return refused.value

        assert refusal(["didReload", "bad name"]).parameters == {"name": "bad name"}
        assert refusal(["didReload", "bad name"]).name == "io.belfry.Lifecycle.InvalidName"
        assert refusal(["x" * 256]).name == "io.belfry.Lifecycle.InvalidName"
        assert refusal(["a"] * 257).parameters == {"parameter": "names"}
        assert refusal(names(1, 4600)).parameters == {"parameter": "names"}
        client.send("Subscribe", {"names": names(1)}, more=True)
        assert "state" in client.reply()
