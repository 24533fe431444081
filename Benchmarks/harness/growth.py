# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""How the cost grows with what there is much of: the exponent of the instructions between a number of things and ten times
as many. 1 is linear."""

import math
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from .client import Client, call
from .counts import POST, Counted, Service
from .measure import Place, Row, Section
from .process import Process

GOAL = 1.1
# The second is what one user may have of connections, nearly.
FEW, MANY = 100, 1_000
FEW_NAMES, MANY_NAMES = 25, 250
FEW_LISTENERS, MANY_LISTENERS = 1_000, 10_000


def _clients(directory: Path, number: int, message: Callable[[int], bytes], post: bytes | None, hear: bool) -> None:
    """So many that call once each, then a post that all hear, or nobody; then all go."""
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(directory / "socket")) for _ in range(number)]
        for index, client in enumerate(clients):
            client.call(message(index))
        if post:
            with Client(directory / "socket") as poster:
                poster.call(post)
        for client in clients if hear else []:
            client.receive()


def _subscribers(_: Process, directory: Path, number: int) -> None:
    _clients(directory, number, lambda _: call("Subscribe", more=True), POST, hear=True)


def _filters(_: Process, directory: Path, number: int) -> None:
    _clients(directory, number, lambda index: call("Subscribe", more=True, names=[f"org.example.{index}"]), POST, hear=False)


def _names(_: Process, directory: Path, number: int) -> None:
    names = [f"n{index}" for index in range(number)]
    _clients(directory, 20, lambda _: call("Subscribe", more=True, names=names), POST, hear=False)


def _attached(_: Process, directory: Path, number: int) -> None:
    _clients(
        directory, number, lambda index: call("Attach", more=True, listener=f"n{index}", names=["org.example.other"], confirm=True),
        POST, hear=False)


def _holds(_: Process, directory: Path, number: int) -> None:
    _clients(directory, number, lambda index: call("Hold", more=True, reason=f"copy {index}"), None, hear=False)


def _caches(place: Place) -> Callable[[int], int]:
    def cost(number: int) -> int:
        cache = place.directory("caches")
        sections = "".join(f"[Cache c{index}]\nPath={cache}/{index}\n" for index in range(number))
        return Service(place, place.built / "belfryd", f"[Logger]\nEnabled=no\n{sections}").count("callgrind", _nothing)
    return cost


def _nothing(_: Process, __: Path) -> None:
    pass


def _listeners(place: Place) -> Callable[[int], int]:
    counted = Counted(place, place.helpers / "ManyListeners")

    def cost(number: int) -> int:
        directory = place.directory("listeners")
        with counted.run("callgrind", [number], directory) as (process, count):
            process.wait()
        return count[0]
    return cost


def growth(place: Place) -> Section:
    service = Service(place, place.built / "belfryd", "[Logger]\nEnabled=no\n")

    def of(work: Callable[[Process, Path, int], None]) -> Callable[[int], int]:
        return lambda number: service.count("callgrind", lambda process, directory: work(process, directory, number))

    return Section("Growth: exponent of the instructions", [
        _row("listeners in a process", _listeners(place), FEW_LISTENERS, MANY_LISTENERS),
        _row("subscribers", of(_subscribers), FEW, MANY),
        _row("filters of their own", of(_filters), FEW, MANY),
        _row("names in a filter", of(_names), FEW_NAMES, MANY_NAMES),
        _row("attached programs", of(_attached), FEW, MANY),
        _row("holds", of(_holds), FEW, MANY),
        _row("caches", _caches(place), FEW, MANY),
    ])


def _row(what: str, cost: Callable[[int], int], few: int, many: int) -> Row:
    # What there is without any of them does not count.
    none = cost(0)
    exponent = math.log((cost(many) - none) / (cost(few) - none)) / math.log(many / few)
    return Row(f"{what}, {few:,} to {many:,}", f"{exponent:.2f}", "", "", f"<= {GOAL}", exponent <= GOAL)
