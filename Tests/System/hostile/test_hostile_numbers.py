# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Numbers at the ends of their types, and beyond, wherever a client can send one."""

import pytest
from bystanders import unharmed
from hostile_clients import assail
from hostile_text import requests
from varlink_client import VarlinkClient

ENDS = [-(1 << 63), -(1 << 63) + 1, -1, 0, 1, (1 << 53) + 1, (1 << 63) - 2, (1 << 63) - 1]
BEYOND = [1 << 63, -(1 << 63) - 1, (1 << 64) - 1, 10**30, 10**1000]
TEXTS = ["1e308", "-1e308", "-0.0", "-0", "1e-400", "1e400", "9.3e18", "9223372036854775807.0", "1e18", "0.5", "1E0"]
NUMBERS = [str(number) for number in ENDS + BEYOND] + TEXTS


def test_numbers_in_every_parameter(started, figures):
    """Numbers in a single call, which the service handles at once."""
    payloads = [request for number in NUMBERS for request in requests(started, lambda _: number.encode())]
    with unharmed(started, figures, f"{len(payloads)} calls with numbers"):
        for first in range(0, len(payloads), 500):
            some = payloads[first : first + 500]
            assail(started, some, len(some), privileged=True, read=True)


# The notification that the program gets, the caller that waits for it, and the trigger.
ASKED = {
    "Post": ("org.example.number", {"name": "org.example.number", "wait": True}),
    "Reload": ("willReload", {}),
    "Pause": ("willResignActive", {}),
    "Resume": ("willEnterForeground", {}),
}


@pytest.mark.parametrize("deadline", ENDS)
def test_numbers_of_a_program(started, figures, deadline):
    """A program with this deadline, and a hold of this length; the program reports this number while the service waits."""
    with unharmed(started, figures, f"a deadline of {deadline} us"):
        for within in (None, *ENDS):
            life_of_a_program(started, deadline, within)


def life_of_a_program(belfry, deadline: int, within: int | None) -> None:
    with belfry.connect() as program, belfry.connect() as holder, belfry.connect() as client, belfry.connect() as asking:
        names = [name for name, _ in ASKED.values()]
        attach(program, names, deadline)
        holder.send("Hold", {"reason": "a number", "timeoutUsec": deadline}, more=True)
        answered(holder)
        for signal in ("TERM", "TSTP", "CONT", "HUP"):
            client.call("Explain", {"signal": signal})
        client.call("ListHolds")
        client.call("ListListeners")
        client.collect("io.systemd.Metrics.List")
        if deadline <= 0:
            return
        for method, (name, parameters) in ASKED.items():
            asking.send(method, parameters)
            # A pause waits for it.
            holder.socket.close()
            report_progress(program, client, name, within)
            answered(asking)


def attach(program: VarlinkClient, names: list[str], deadline: int) -> None:
    listener = {"listener": "org.example.program", "names": names, "deadlineUsec": deadline, "confirm": True}
    program.send("Attach", listener, more=True)
    answered(program)


def report_progress(program: VarlinkClient, client: VarlinkClient, name: str, within: int | None) -> None:
    """The program gets `name`, reports progress and answers, perhaps too late."""
    reply = answered(program)
    assert reply["notification"]["name"] == name
    if within is not None:
        client.send("Progress", {"token": reply["token"], "nextWithinUsec": within, "text": "a number"})
        answered(client)
    client.call("Explain", {"signal": "TERM"})
    client.send("Answer", {"token": reply["token"], "outcome": "completed"})
    answered(client)


@pytest.mark.parametrize("deadline", [number for number in ENDS if number > 1])
def test_numbers_of_a_program_during_a_stop(started, deadline):
    with started.connect() as program, started.connect() as client:
        attach(program, ["willTerminate"], deadline)
        started.host.systemctl("stop", "--no-block", started.name)
        reply = answered(program)
        for within in ENDS:
            client.send("Progress", {"token": reply["token"], "nextWithinUsec": within})
            answered(client)
        client.call("Answer", {"token": reply["token"], "outcome": "completed"})
        started.wait_until_inactive()
    assert started.properties("Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}


def answered(client: VarlinkClient) -> dict:
    """The next reply, whether or not it is an error."""
    return client.receive().get("parameters", {})
