# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""How instructions grow with the number of things. Between a number and ten times as many, the exponent is 1 if the
growth is linear, and 2 if it is quadratic."""

import math
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from .client import Client, call
from .counts import NO_LOGGER, POST, Service, Work, count
from .measure import Place, Row, Section, at_most
from .process import Process

GOAL = 1.1
# One user may have a few more connections than 1,000.
FEW, FEW_NAMES, FEW_LISTENERS, FACTOR = 100, 25, 1_000, 10


def _connect(directory: Path, number: int, request: Callable[[int], bytes], post: bool = True, delivered: bool = False):
    """So many clients each send a request. Then a post is made, if wanted, and delivered to all of them or to none."""
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(directory / "socket")) for _ in range(number)]
        for index, client in enumerate(clients):
            client.call(request(index))
        if post:
            stack.enter_context(Client(directory / "socket")).call(POST)
        for client in clients if delivered else []:
            client.receive()


def _subscribers(_: Process, directory: Path, number: int) -> None:
    _connect(directory, number, lambda _: call("Subscribe", more=True), delivered=True)


def _filters(_: Process, directory: Path, number: int) -> None:
    _connect(directory, number, lambda index: call("Subscribe", more=True, names=[f"org.example.{index}"]))


def _names(_: Process, directory: Path, number: int) -> None:
    names = [f"n{index}" for index in range(number)]
    _connect(directory, 20, lambda _: call("Subscribe", more=True, names=names))


def _programs(_: Process, directory: Path, number: int) -> None:
    _connect(directory, number, lambda index: call(
        "Attach", more=True, listener=f"n{index}", names=["org.example.other"], confirm=True))


def _holds(_: Process, directory: Path, number: int) -> None:
    _connect(directory, number, lambda index: call("Hold", more=True, reason=f"copy {index}"), post=False)


def growth(place: Place) -> Section:
    belfryd = place.built / "belfryd"
    service = Service(place, belfryd, NO_LOGGER)
    many_listeners = place.stripped(place.helpers / "ManyListeners")

    def by(work: Work) -> Callable[[int], int]:
        return lambda number: service.count("callgrind", number, work)

    def caches(number: int) -> int:
        cache = place.directory("caches")
        sections = "".join(f"[Cache c{index}]\nPath={cache}/{index}\n" for index in range(number))
        return Service(place, belfryd, NO_LOGGER + sections).count("callgrind", 0, lambda *_: None)

    def listeners(number: int) -> int:
        return count("callgrind", place, [many_listeners, number], place.directory("listeners"), Process.wait)

    return Section("Growth: exponent of the instructions", "whether ten times as many cost more than ten times as much", [
        _row("listeners in a process", listeners, FEW_LISTENERS),
        _row("subscribers", by(_subscribers), FEW),
        _row("filters of their own", by(_filters), FEW),
        _row("names in a filter", by(_names), FEW_NAMES),
        _row("attached programs", by(_programs), FEW),
        _row("holds", by(_holds), FEW),
        _row("caches", caches, FEW),
    ])


def _row(what: str, instructions: Callable[[int], int], few: int) -> Row:
    none, some, many = (instructions(number) for number in (0, few, FACTOR * few))
    exponent = math.log((many - none) / (some - none)) / math.log(FACTOR)
    return Row(f"{what}, {few:,} to {FACTOR * few:,}", f"{exponent:.2f}", goal=at_most(exponent, GOAL))
