# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Floods of calls by one member of the service's group, on one connection, and on as many connections as one user may
have."""

import json

import pytest
from belfry_service import CACHE_TAG
from bystanders import unharmed
from hostile_clients import HostileClients, assail, call

MANY = 2000
CONNECTIONS = 1000
FLOODS = {
    "GetState": call("GetState"),
    "ListListeners": call("ListListeners"),
    "ListSignals": call("ListSignals"),
    "ListHolds": call("ListHolds"),
    "Explain": call("Explain", {"signal": "TERM"}),
    "Reload in a dry run": call("Reload", {"dryRun": True}),
    "Reload": call("Reload"),
    "Post": call("Post", {"name": "org.example.flood"}),
    "Post that waits": call("Post", {"name": "org.example.flood", "wait": True}),
    "Post statusRequested": call("Post", {"name": "statusRequested"}),
    "PerformAction": call("PerformAction", {"id": "org.example.none"}),
    "OpenURL": call("OpenURL", {"url": "x-example:none"}),
    "Answer": call("Answer", {"token": "1", "outcome": "completed"}),
    "Progress": call("Progress", {"token": "1", "nextWithinUsec": 1}),
    "description": call("org.varlink.service.GetInterfaceDescription", {"interface": "io.belfry.Lifecycle"}),
    "GetOpenMetrics": call("GetOpenMetrics"),
}


@pytest.mark.parametrize("name", FLOODS)
def test_flood_of_calls(started, figures, name):
    one = FLOODS[name]
    with unharmed(started, figures, f"{name}, {MANY} times and unread by {CONNECTIONS}"):
        done = assail(started, [one * MANY], privileged=True, read=True)
        assert done["replies"] >= MANY or done["closed"], done
        # Clients that do not read disconnect before all answers are sent.
        assail(started, [one * (MANY // CONNECTIONS)], CONNECTIONS, privileged=True)


def test_long_notifications(started, figures):
    post = call("Post", {"name": "org.example.flood", "userInfo": {"long": "x" * 100_000}})
    with unharmed(started, figures, f"{MANY} posts of 100 KB"):
        assail(started, [post * 10], rounds=MANY // 10, privileged=True, read=True)


def test_subscribers_that_come_and_go(started, figures):
    """Any user can do that, because it only needs Look=."""
    with unharmed(started, figures, "10000 subscribe and close at once, 10000 when they have the state"):
        subscribe = call("Subscribe", more=True)
        for read in (False, True):
            assail(started, [subscribe], 50, rounds=200, anew=True, read=read)


def test_subscribers_that_stay(started, figures):
    with unharmed(started, figures, f"{CONNECTIONS} subscribers who do not read, 5 MB posted"):
        with HostileClients(started, [call("Subscribe", more=True)], CONNECTIONS):
            post = call("Post", {"name": "org.example.flood", "userInfo": {"long": "x" * 10_000}})
            assail(started, [post * 500], privileged=True, read=True)


@pytest.fixture
def large_cache(belfry):
    """A service with a cache of 10000 files, which do not remain for other tests."""
    script = (
        "rm -rf /var/cache/belfry/large; install -d -o belfry -g belfry /var/cache/belfry /var/cache/belfry/large;"
        f" cd /var/cache/belfry/large; printf '{CACHE_TAG}\\n' >CACHEDIR.TAG; seq 10000 | xargs touch; chown -R belfry:belfry ."
    )
    belfry.host.run("sh", "-c", script)
    belfry.configure("[Cache large]\nPath=/var/cache/belfry/large\nFilesMax=20000\n")
    belfry.start()
    yield belfry
    belfry.host.run("rm", "-rf", "/var/cache/belfry/large")


def test_flushes_of_a_large_cache(large_cache, figures):
    post = call("Post", {"name": "flushRequested"})
    waiting = call("Post", {"name": "flushRequested", "wait": True})
    with unharmed(large_cache, figures, f"{MANY} flushes of 10000 files, waited for and not"):
        assail(large_cache, [post * MANY], privileged=True, read=True)
        assail(large_cache, [waiting * 20], privileged=True, read=True)
        assail(large_cache, [waiting * (MANY // CONNECTIONS)], CONNECTIONS, privileged=True)


def attach(number: int, **parameters) -> bytes:
    listener = {"listener": f"org.example.program-{number}", "names": ["org.example.flood"], **parameters}
    return call("Attach", listener, more=True)


def test_thousand_programs(started, figures):
    with unharmed(started, figures, f"{CONNECTIONS} programs attach, are told and go"):
        for _ in range(2):
            programs = [attach(number, confirm=True) for number in range(CONNECTIONS)]
            with HostileClients(started, programs, CONNECTIONS, privileged=True, read=True):
                assail(started, [call("Post", {"name": "org.example.flood"}) * 10], privileged=True, read=True)


def test_programs_that_follow_one_another(started, figures):
    programs = [attach(0, confirm=True)]
    for number in range(1, CONNECTIONS):
        programs.append(attach(number, confirm=True, follows=[f"org.example.program-{number - 1}"]))
    with unharmed(started, figures, f"{CONNECTIONS} programs, each after the one before it"):
        with HostileClients(started, programs, CONNECTIONS, privileged=True, read=True):
            assail(started, [FLOODS["Explain"] * 20], privileged=True, read=True)


def test_program_with_many_names(started, figures):
    names = [f"n{number}" for number in range(85_000)]
    with unharmed(started, figures, "85000 names, actions and predecessors in an Attach, 10 times"):
        for parameters in ({"names": names}, {"follows": names}, {"actions": actions(8000)}):
            assail(started, [attach(1, **parameters)], 10, privileged=True, read=True)


def actions(count: int) -> list[dict]:
    return [{"id": f"org.example.action-{number}", "title": "An action like any other"} for number in range(count)]


def test_programs_that_do_not_answer(started, figures):
    """They subscribe to everything, read nothing, and callers wait for the actions that they offer."""
    program = {"names": ["performAction", "openURL", "org.example.flood"], "deadlineUsec": 60_000_000, "actions": actions(1)}
    programs = [attach(number, **program) for number in range(100)]
    asked = [call("PerformAction", {"id": "org.example.action-0"}), call("OpenURL", {"url": "x-example:it"})]
    with unharmed(started, figures, "100 programs that do not answer, 1800 who wait for them"):
        with HostileClients(started, programs, 100, privileged=True):
            assail(started, [one * 2 for one in asked], 900, privileged=True)


def test_holds(started, figures):
    hold = call("Hold", {"reason": "x" * 1000}, more=True)
    with unharmed(started, figures, f"{CONNECTIONS} holds, and {MANY} who come and go"):
        with HostileClients(started, [hold], CONNECTIONS, privileged=True, read=True):
            assail(started, [call("ListHolds") * 10], privileged=True)
        assail(started, [hold], 20, rounds=MANY // 20, privileged=True, anew=True, read=True)


def test_oneway_calls(started, figures):
    """No reply slows their sender down."""
    calls = [json.loads(one[:-1]) | {"oneway": True} for one in FLOODS.values()]
    frames = b"".join(json.dumps(one).encode() + b"\0" for one in calls if "more" not in one)
    with unharmed(started, figures, f"{MANY} times everything, without a reply"):
        assail(started, [frames * 20], 10, rounds=MANY // 200, privileged=True)
