# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""From kill(2) to a handler, and a thousand at once."""

import contextlib
import json
import subprocess

from .measure import Place, Row, Section, median
from .process import Process, one_processor

LOOP_GOAL, UNIX_SIGNALS_GOAL = 1.3, 5
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


def _send(place: Place, *arguments) -> list[dict]:
    sent = subprocess.run(
        [place.helpers / "SignalSender", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(line) for line in sent.stdout.splitlines()]


def latency(place: Place, count: int = 3000) -> Section:
    programs = [("SignalLoop",), ("SignalDispatch",), ("SignalUnixSignals",), ("SignalBelfry", False, False),
                ("SignalBelfry", True, False), ("SignalBelfry", True, True)]
    with contextlib.ExitStack() as stack:
        stack.enter_context(one_processor())
        targets = []
        for program in programs:
            process, page = _receiver(place, *program)
            stack.enter_context(process)
            targets += [process.pid, page]
        loop, dispatch, unix_signals, belfry, serving, logging = (
            found["median_ns"] / 1000 for found in _send(place, "latency", count, *targets))
    by_loop, by_unix_signals = belfry / loop, unix_signals / belfry
    ours, alone = f"{belfry:.1f} us", f"C signalfd loop {loop:.1f} us"
    return Section("Signal: kill to a listener, median", [
        Row("listener, next to C", ours, alone, f"{by_loop:.2f}x the C loop", f"<= {LOOP_GOAL}x", by_loop <= LOOP_GOAL),
        Row("listener, next to Swift", ours, f"UnixSignalsSequence {unix_signals:.1f} us",
            f"{by_unix_signals:.1f}x faster", f">= {UNIX_SIGNALS_GOAL}x", by_unix_signals >= UNIX_SIGNALS_GOAL),
        Row("listener, next to Dispatch", ours, f"Dispatch source {dispatch:.1f} us", f"{dispatch / belfry:.1f}x faster"),
        Row("the same, on the socket first", f"{serving:.1f} us", alone, f"{serving / loop:.2f}x the C loop"),
        Row("the same, and logged first", f"{logging:.1f} us", alone, f"{logging / loop:.2f}x the C loop"),
    ])


def burst(place: Place) -> Section:
    found = {"SignalBelfry": [], "SignalDispatch": []}
    for _ in range(BURST_REPETITIONS):
        for program, results in found.items():
            process, page = _receiver(place, program)
            with process:
                results += _send(place, "burst", process.pid, page)
    ours, theirs = found["SignalBelfry"], [result["arrived"] for result in found["SignalDispatch"]]
    arrived, whole = min(result["arrived"] for result in ours), min(result["whole"] for result in ours)
    return Section(f"Burst: 1000 queued real-time signals, the worst of {BURST_REPETITIONS}", [
        Row("arrived", f"{arrived}", f"Dispatch source {min(theirs)} to {max(theirs)}",
            f"{arrived / max(1, median(theirs)):.0f}x the Dispatch source", "1000", arrived == 1000),
        Row("in order, with value and sender", f"{whole}", "Dispatch source tells neither", "", "1000", whole == 1000),
    ])
