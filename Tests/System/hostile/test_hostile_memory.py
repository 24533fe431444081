# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Requests that occupy memory of the service: complete, without an end, or waiting behind unread replies. From
one user, from five and from fifty."""

import pytest
from bystanders import GROWTH_OF_MANY, GROWTH_OF_ONE, MIB, unharmed
from hostile_clients import HostileClients, assail, raw_call

# As much as fits into FrameMax= with the rest of the message.
SIZES = {"512 B": 400, "64 KB": (64 << 10) + 1, "1 MB": 1_000_000}
CONNECTIONS = 1000
DESCRIPTION = raw_call("org.varlink.service.GetInterfaceDescription", b'"interface":"io.belfry.Lifecycle"')


def whole(size: int) -> bytes:
    """A call whose error repeats its parameters."""
    return raw_call("org.varlink.service.GetInterfaceDescription", b'"interface":"%s"' % (b"x" * size))


def partial(size: int) -> bytes:
    return whole(size)[:-2]


def pipelined(size: int) -> bytes:
    """Calls behind replies that fill the socket, and one that does not end."""
    return DESCRIPTION * 50 + whole(size) * 3 + DESCRIPTION * 50 + partial(size)


def of_lists(size: int) -> bytes:
    """A call that is far larger when decoded."""
    return DESCRIPTION * 50 + raw_call("GetState", b'"unknown":[' + b"[]," * (size // 3) + b"[]]") * 3


SHAPES = [whole, partial, pipelined, of_lists]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_thousand_requests_of_one_user(started, figures, shape, size):
    with unharmed(started, figures, f"{CONNECTIONS} {shape.__name__} requests of {size}", GROWTH_OF_ONE) as go_around:
        with HostileClients(started, [shape(SIZES[size])], CONNECTIONS):
            go_around()


def test_all_of_that_at_once(started, figures):
    payloads = [shape(size) for shape in SHAPES for size in SIZES.values()]
    with unharmed(started, figures, f"{CONNECTIONS} requests of every kind", GROWTH_OF_ONE) as go_around:
        with HostileClients(started, payloads, CONNECTIONS):
            go_around()


def test_message_beyond_the_limit_is_cut_off(started, figures):
    with unharmed(started, figures, "10 messages of 64 MiB"):
        done = assail(started, [b'{"method":"' + b"x" * (64 * MIB)], 10)
        assert done["closed"] == 10 and done["sent"] < 10 * 4 * MIB, done


@pytest.mark.parametrize("users", [5, 50])
@pytest.mark.parametrize("privileged", [False, True])
def test_large_requests_of_many_users(started, figures, users, privileged):
    payloads = [shape(SIZES["1 MB"]) for shape in SHAPES]
    who = "members" if privileged else "users"
    with unharmed(started, figures, f"{users} {who} with {CONNECTIONS} requests of 1 MB", GROWTH_OF_MANY) as go_around:
        with HostileClients(started, payloads, CONNECTIONS, users=users, privileged=privileged):
            go_around()


def test_many_users_that_ask_for_the_past_and_do_not_read(started, figures):
    fill = raw_call("Post", b'"name":"org.example.past","userInfo":{"long":"%s"}' % (b"x" * 700))
    ask = raw_call("Subscribe", b'"after":0', b',"more":true')
    with HostileClients(started, [fill * 1000], privileged=True, read=True):
        pass
    with unharmed(started, figures, f"the past for {CONNECTIONS} connections of 50 users", GROWTH_OF_MANY) as go_around:
        with HostileClients(started, [ask], CONNECTIONS, users=50):
            go_around()
