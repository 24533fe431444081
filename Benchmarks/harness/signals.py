# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""From kill(2) to a handler, and a thousand at once."""

import contextlib
import json
import subprocess

from .measure import Place, Row, Section, median
from .process import Process, one_processor

LOOP_GOAL, UNIX_SIGNALS_GOAL, SUBSCRIBER_GOAL = 1.3, 5, 2
SUBSCRIBE = '{"method":"io.belfry.Lifecycle.Subscribe","parameters":{"names":["flushRequested"]},"more":true}'
BURST_REPETITIONS = 5


def _receiver(place: Place, program: str, socket: bool = False, logger: bool = False):
    """A receiver and the page it shares. Belfry logs to a file, through standard error."""
    directory = place.directory(program)
    page = directory / "page"
    arguments = [place.helpers / program, page]
    if program == "SignalBelfry":
        configuration = directory / "belfry.conf"
        configuration.write_text(
            f"[Socket]\nEnabled={_word(socket)}\n[Logger]\nEnabled={_word(logger)}\n[Signals]\nRTMIN+5=burst\n")
        arguments += [configuration, directory / "socket"]
    process = Process(arguments, {"XDG_RUNTIME_DIR": str(directory)}, log=directory / "log")
    process.wait_for(page)
    return process, page


def _word(flag: bool) -> str:
    return "yes" if flag else "no"


def send(place: Place, *arguments, sender: str = "SignalSender") -> list[dict]:
    sent = subprocess.run(
        [place.helpers / sender, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(line) for line in sent.stdout.splitlines()]


def _medians(place: Place, count: int, programs: list[tuple], together: bool = False) -> list[float]:
    """Of each program, in turn with the others, in microseconds. They run where the kernel puts them, as services do,
    unless they are to be together with the sender, on one processor."""
    with contextlib.ExitStack() as stack:
        if together:
            stack.enter_context(one_processor())
        targets = []
        for program in programs:
            process, page = _receiver(place, *program)
            stack.enter_context(process)
            targets += [process.pid, page]
        # The sender does not wander, so that no result hangs on where it happened to go.
        stack.enter_context(one_processor())
        return [found["median_ns"] / 1000 for found in send(place, "latency", count, *targets)]


def _to_subscriber(place: Place, count: int, logger: bool = False) -> list[float]:
    """Until a subscriber has read of it: from the C program, and from Belfry, in turn."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(one_processor())
        answer = place.directory("SignalAnswer") / "socket"
        alone = stack.enter_context(Process([place.helpers / "SignalAnswer", answer]))
        alone.wait_for(answer)
        belfry, page = _receiver(place, "SignalBelfry", socket=True, logger=logger)
        stack.enter_context(belfry)
        belfry.wait_for(page.parent / "socket")
        targets = [alone.pid, answer, "", belfry.pid, page.parent / "socket", SUBSCRIBE]
        return [found["median_ns"] / 1000 for found in send(place, count, *targets, sender="SignalSubscriber")]


def latency(place: Place, count: int = 3000) -> Section:
    # Each further program in turn takes something of the caches from the others, so there are two runs.
    loop, dispatch, unix_signals, belfry = _medians(
        place, count, [("SignalLoop",), ("SignalDispatch",), ("SignalUnixSignals",), ("SignalBelfry",)])
    beside_unix_signals, beside_belfry = _medians(
        place, count, [("SignalUnixSignals",), ("SignalBelfry",)], together=True)
    again, serving, logging = _medians(
        place, count, [("SignalLoop",), ("SignalBelfry", True), ("SignalBelfry", True, True)])
    answering, subscriber = _to_subscriber(place, count)
    answering_again, logged = _to_subscriber(place, count, logger=True)
    by_loop, by_unix_signals, by_answer = belfry / loop, unix_signals / belfry, subscriber / answering
    ours, alone = f"{belfry:.1f} us", f"C signalfd loop {again:.1f} us"
    return Section("Signal: from kill on, median", [
        Row("listener, next to C", ours, f"C signalfd loop {loop:.1f} us", f"{by_loop:.2f}x the C loop",
            f"<= {LOOP_GOAL}x", by_loop <= LOOP_GOAL),
        Row("listener, next to Swift", ours, f"UnixSignalsSequence {unix_signals:.1f} us",
            f"{by_unix_signals:.1f}x faster", f">= {UNIX_SIGNALS_GOAL}x", by_unix_signals >= UNIX_SIGNALS_GOAL),
        Row("the same, on one processor", f"{beside_belfry:.1f} us", f"UnixSignalsSequence {beside_unix_signals:.1f} us",
            f"{beside_unix_signals / beside_belfry:.1f}x faster"),
        Row("listener, next to Dispatch", ours, f"Dispatch source {dispatch:.1f} us", f"{dispatch / belfry:.1f}x faster"),
        Row("the same, on the socket first", f"{serving:.1f} us", alone, f"{serving / again:.2f}x the C loop"),
        Row("the same, and logged first", f"{logging:.1f} us", alone, f"{logging / again:.2f}x the C loop"),
        Row("subscriber's read", f"{subscriber:.1f} us", f"C loop that answers {answering:.1f} us",
            f"{by_answer:.2f}x the C loop", f"<= {SUBSCRIBER_GOAL}x", by_answer <= SUBSCRIBER_GOAL),
        Row("the same, and logged first", f"{logged:.1f} us", f"C loop that answers {answering_again:.1f} us",
            f"{logged / answering_again:.2f}x the C loop"),
    ])


def burst(place: Place) -> Section:
    found = {"SignalBelfry": [], "SignalDispatch": []}
    for _ in range(BURST_REPETITIONS):
        for program, results in found.items():
            process, page = _receiver(place, program)
            with process:
                results += send(place, "burst", process.pid, page)
    ours, theirs = found["SignalBelfry"], [result["arrived"] for result in found["SignalDispatch"]]
    arrived, whole = min(result["arrived"] for result in ours), min(result["whole"] for result in ours)
    return Section(f"Burst: 1000 queued real-time signals, the worst of {BURST_REPETITIONS}", [
        Row("arrived", f"{arrived}", f"Dispatch source {min(theirs)} to {max(theirs)}",
            f"{arrived / max(1, median(theirs)):.0f}x the Dispatch source", "1000", arrived == 1000),
        Row("in order, with value and sender", f"{whole}", "Dispatch source tells neither", "", "1000", whole == 1000),
    ])
