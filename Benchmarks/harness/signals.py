# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""From kill(2) to a handler, and a burst of signals."""

import contextlib
import json
import subprocess
from statistics import median

from .measure import Place, Row, Section, at_least, at_most
from .process import Process, one_processor

LOOP_GOAL_US, SUBSCRIBER_GOAL = 2.5, 1.5
SUBSCRIBE = '{"method":"io.belfry.Lifecycle.Subscribe","parameters":{"names":["flushRequested"]},"more":true}'
SIGNALS, BURST, BURST_REPETITIONS = 3000, 1000, 5


def _receiver(place: Place, program: str, socket: bool = False, logger: bool = False):
    """A receiver, the page it shares with the sender, and its socket. Belfry logs to a file, through standard error."""
    directory = place.directory(program)
    page, configuration, path = (directory / name for name in ("page", "belfry.conf", "socket"))
    arguments = [place.helpers / program, page]
    if program == "SignalBelfry":
        enabled = {False: "Enabled=no", True: "Enabled=yes"}
        configuration.write_text(f"[Socket]\n{enabled[socket]}\n[Logger]\n{enabled[logger]}\n[Signals]\nRTMIN+5=burst\n")
        arguments += [configuration, path]
    process = Process(arguments, {"XDG_RUNTIME_DIR": str(directory)}, log=directory / "log")
    process.wait_for(page)
    return process, page, path


def send(place: Place, *arguments) -> list[dict]:
    sent = subprocess.run(
        [place.helpers / "SignalSender", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(line) for line in sent.stdout.splitlines()]


def _to_listeners(place: Place, programs: list[tuple], together: bool = False) -> list[float]:
    """Microseconds to the handler of each program; they take turns. The sender stays on one processor. The programs run
    where the kernel puts them, as services do, or on the processor of the sender if `together` is set."""
    with contextlib.ExitStack() as stack:
        if together:
            stack.enter_context(one_processor())
        targets = []
        for program in programs:
            process, page, _ = _receiver(place, *program)
            stack.enter_context(process)
            targets += [process.pid, page]
        stack.enter_context(one_processor())
        return [found["median_ns"] / 1000 for found in send(place, "listener", SIGNALS, *targets)]


def _to_subscribers(place: Place, logger: bool = False) -> list[float]:
    """Microseconds until a client has read of the signal, from the C program and from Belfry; they take turns."""
    with one_processor(), contextlib.ExitStack() as stack:
        answer = place.directory("SignalAnswer") / "socket"
        loop = stack.enter_context(Process([place.helpers / "SignalAnswer", answer]))
        loop.wait_for(answer)
        belfry, _, path = _receiver(place, "SignalBelfry", socket=True, logger=logger)
        stack.enter_context(belfry).wait_for(path)
        targets = [loop.pid, answer, "", belfry.pid, path, SUBSCRIBE]
        return [found["median_ns"] / 1000 for found in send(place, "subscriber", SIGNALS, *targets)]


def latency(place: Place) -> Section:
    # Programs that take turns take cache lines from each other, so each comparison has as few of them as it needs.
    loop, dispatch, unix_signals, belfry = _to_listeners(
        place, [("SignalLoop",), ("SignalDispatch",), ("SignalUnixSignals",), ("SignalBelfry",)])
    unix_signals_together, together = _to_listeners(place, [("SignalUnixSignals",), ("SignalBelfry",)], together=True)
    loop_again, logging = _to_listeners(place, [("SignalLoop",), ("SignalBelfry", True, True)])
    answer, subscriber = _to_subscribers(place)
    answer_logged, subscriber_logged = _to_subscribers(place, logger=True)

    def above(work: str, ours: float, theirs: float, goal: float | None = None) -> Row:
        return Row(work, f"{ours:.1f} us", f"C signalfd loop {theirs:.1f} us", f"{ours - theirs:.1f} us above the C loop",
                   at_most(ours - theirs, goal, " us") if goal else None)

    def faster(work: str, ours: float, peer: str, theirs: float) -> Row:
        return Row(work, f"{ours:.1f} us", f"{peer} {theirs:.1f} us", f"{theirs / ours:.1f}x faster")

    def answered(work: str, ours: float, theirs: float) -> Row:
        return Row(work, f"{ours:.1f} us", f"C loop that answers {theirs:.1f} us", f"{ours / theirs:.2f}x the C loop",
                   at_most(ours / theirs, SUBSCRIBER_GOAL, "x"))

    return Section("Signal: from kill on, median", "how long a service or a program waits for a signal", [
        above("listener, next to C", belfry, loop, LOOP_GOAL_US),
        above("listener, with socket and logger", logging, loop_again),
        faster("listener, next to Swift", belfry, "UnixSignalsSequence", unix_signals),
        faster("the same, on one processor", together, "UnixSignalsSequence", unix_signals_together),
        faster("listener, next to Dispatch", belfry, "Dispatch source", dispatch),
        answered("subscriber's read", subscriber, answer),
        answered("subscriber's read, with logger", subscriber_logged, answer_logged),
    ])


def burst(place: Place) -> Section:
    found = {"SignalBelfry": [], "SignalDispatch": []}
    for _ in range(BURST_REPETITIONS):
        for program, results in found.items():
            process, page, _ = _receiver(place, program)
            with process:
                results += send(place, "burst", process.pid, page)
    ours, theirs = found["SignalBelfry"], [result["arrived"] for result in found["SignalDispatch"]]
    arrived, whole = min(result["arrived"] for result in ours), min(result["whole"] for result in ours)
    title = f"Burst: {BURST} queued real-time signals, the worst of {BURST_REPETITIONS}"
    return Section(title, "whether a signal is lost", [
        Row("arrived", f"{arrived}", f"Dispatch source {min(theirs)} to {max(theirs)}",
            f"{arrived / max(1, median(theirs)):.0f}x the Dispatch source", at_least(arrived, BURST)),
        Row("in order, with value and sender", f"{whole}", "Dispatch source reports neither", "", at_least(whole, BURST)),
    ])
