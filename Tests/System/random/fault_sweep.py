# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Disturbs belfryd once at every system call of a start, a restart, a reload and a stop.

    python3 Tests/System/random/fault_sweep.py [--every NUMBER] [--phase PHASE] [--run PHASE:CALL:NUMBER:FAULT]

The points of a phase are the system calls that belfryd makes in it, from the call that blocks the signals on: it has one
thread, so that they are the same each time. At each point a run delivers one signal before the call, or has the call fail once
with one error. Afterwards the service must go on, or have stopped with its reason. The next process then gets what is in
the descriptor store. A subscriber must have seen every post that was accepted, and every number once.
"""

import argparse
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "kit"))

from fault import Fault
from fault_points import ENDING, GOING_ON, PHASES, Injection, points
from managed_service import Ended
from soak_model import POST, Model, View
from swept_service import SweptService
from varlink_client import VarlinkError

# A machine without these has nothing to watch there.
EXPECTED = re.compile(r"unable to watch '/sys/fs/cgroup")


class Run:
    """One run with one fault."""

    def __init__(self, fault: Injection, folder: Path):
        self.fault = fault
        self.service = SweptService(folder)
        self.log = ""

    def outcome(self) -> str:
        """Raises Fault if anything is wrong."""
        try:
            outcome = self.disturbed()
            self.check_messages()
            self.next_process()
            return outcome
        except Ended:
            raise Fault(f"ended with {self.service.status}") from None
        finally:
            self.service.close()

    def disturbed(self) -> str:
        service, fault = self.service, self.fault
        refusal = ""
        try:
            PHASES[fault.phase](service, "--raw=all", "--inject", f"{fault.call}:{fault.what}:when={fault.number}")
        except Ended:
            pass
        except (EOFError, ConnectionError, VarlinkError) as failure:
            refusal = f", a client got {type(failure).__name__}"
        with suppress(Ended):
            service.detach()
        self.log = service.log.read_text()
        if self.point() is None:
            # Whether strace that leaves has sent the signal is not known.
            with suppress(Ended):
                self.go_on()
                return "not reached"
            return self.check_status() + refusal
        if service.status is None and fault.signal in ENDING:
            service.wait_for_end()
        if service.status is not None:
            return self.check_status() + refusal
        self.go_on()
        self.check_effect()
        return "goes on" + refusal

    def point(self) -> str | None:
        """The traced call of the fault; nil if it was not reached, or if strace has left before it could send the signal."""
        lines = self.service.trace.read_text().splitlines()
        places = [place for place, line in enumerate(lines) if line.startswith(f"{self.fault.call}(")]
        if len(places) < self.fault.number:
            return None
        place = places[self.fault.number - 1]
        # A process that got the signal has ended, or makes a further call.
        is_unsent = self.fault.signal and self.service.status is None and place + 1 == len(lines)
        return None if is_unsent else lines[place]

    def is_impossible(self) -> bool:
        """Whether the error came at another call than in the quiet, which cannot fail with it: EPOLL_CTL_DEL (2)."""
        point = self.point() if self.service.trace.exists() else None
        return point is not None and re.match(r"epoll_ctl\(\w+, 0x2, .*\(INJECTED\)$", point) is not None

    def check_status(self) -> str:
        status = self.service.status
        if self.fault.signal:
            if status not in self.statuses():
                raise Fault(f"exit status {status}, not one of {self.statuses()}")
            return f"exit status {status}"
        if status == 0 and self.fault.phase == "stop":
            return "exit status 0"
        if status != 71:
            raise Fault(f"exit status {status}")
        if not self.is_reason_logged():
            raise Fault(f"exit status {status} without the reason")
        return f"exit status {status} with the reason"

    def statuses(self) -> set[int]:
        """With which the process may end after its signal."""
        name = self.fault.signal
        if self.fault.phase != "stop":
            return {ENDING[name]} if name in ENDING else set()
        if name in ("TERM", "INT", "QUIT"):
            # The second stop signal cuts the stop short, unless it is over.
            return {0, 128 + signal.Signals[f"SIG{name}"]}
        return {ENDING.get(name, 0)}

    def check_effect(self) -> None:
        """No signal is lost."""
        if self.fault.signal:
            effect = GOING_ON[self.fault.signal]
            if effect not in self.service.log.read_text():
                raise Fault(f"no {effect} after SIG{self.fault.signal}")

    def is_reason_logged(self) -> bool:
        return f"({self.fault.what.removeprefix('error=')})" in self.log

    def go_on(self) -> None:
        """The service answers as always, and stops in order."""
        service = self.service
        if service.status is not None:
            return
        if self.fault.what == "signal=TSTP":
            # The signal may be still to be read.
            deadline = time.monotonic() + 5
            while service.call("GetState")["state"] == "active" and time.monotonic() < deadline:
                time.sleep(0.002)
            service.send("SIGCONT")
        service.post()
        service.stop()

    def check_messages(self) -> None:
        """What the service manager was told is in order."""
        service = self.service
        words = [m for m in service.messages if m.partition("=")[0] in ("READY", "RELOADING", "STOPPING", "EXIT_STATUS")]
        text = " ".join(word.partition("=")[0] for word in words)
        # A process without a traced start is ready from the beginning of its messages.
        if not re.fullmatch(r"(READY( RELOADING READY)*( RELOADING)?)?( ?STOPPING)?( ?EXIT_STATUS)?", text):
            raise Fault(f"told the service manager {words}")
        if service.status >= 0 and words[-1:] != [f"EXIT_STATUS={service.status}"]:
            raise Fault(f"told the service manager {words}, exit status {service.status}")

    def next_process(self) -> None:
        """The next process finds everything in order, and has what the subscriber missed."""
        service = self.service
        service.start()
        if service.subscriber is None:
            service.subscribe()
        service.post()
        self.check_subscriber()
        for line in service.log.read_text().splitlines():
            if re.search(r" (warning|err|crit|alert|emerg) belfryd: ", line) and not EXPECTED.search(line):
                raise Fault(f"the next process logged {line}")

    def check_subscriber(self) -> None:
        """It has seen every number once, and every accepted post with the number in its reply."""
        subscriber = self.service.subscriber
        self.read_until(len(self.service.posts))
        model = Model(retained=0)
        view = View(model)
        view.begin(subscriber.state["sequence"])
        for notification in subscriber.seen:
            view.see(notification)
        for post, sequence in self.service.posts.items():
            if sequence is not None and sequence > subscriber.state["sequence"]:
                model.accept(post, sequence)
        model.check(view.last)

    def read_until(self, post: int) -> None:
        subscriber = self.service.subscriber
        while True:
            notification = subscriber.next()
            if notification["name"] == POST and notification["userInfo"]["post"] == post:
                return


def run(fault: Injection) -> tuple[Injection, str, str]:
    """The fault, its outcome, and what was found."""
    with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
        swept = Run(fault, Path(folder))
        try:
            return fault, swept.outcome(), ""
        except Exception as found:
            if swept.is_impossible():
                return fault, "not reached", ""
            log = swept.log or swept.service.log.read_text()
            return fault, "found", f"{type(found).__name__}: {found}\n    at {fault.line}\n{log[-1500:]}"


def sweep(faults: list[Injection]) -> tuple[list[str], list[str]]:
    """The counts of outcomes as lines, and the findings."""
    begun = time.monotonic()
    outcomes: Counter = Counter()
    findings = []
    # Much of a run is waiting.
    with multiprocessing.Pool(2 * (os.cpu_count() or 1)) as pool:
        for fault, outcome, finding in pool.imap_unordered(run, faults):
            outcomes[fault.phase, "signal" if fault.signal else "error", outcome] += 1
            if finding:
                findings.append(f"{fault}: {finding}")
    counts = [f"{count:6} {phase:7} {kind:6} {outcome}" for (phase, kind, outcome), count in sorted(outcomes.items())]
    seconds = time.monotonic() - begun
    return [*counts, f"{len(faults)} runs, {len(findings)} findings, {seconds:.0f} s"], findings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--every", type=int, default=1, help="one in how many faults")
    parser.add_argument("--phase", choices=PHASES, action="append", help="only this one")
    parser.add_argument("--run", help="one fault, as it is printed")
    options = parser.parse_args()
    if options.run:
        phase, call, number, what = options.run.split(":")
        _, outcome, finding = run(Injection(phase, call, int(number), what))
        print(outcome, finding)
        return bool(finding)
    faults = []
    for phase in options.phase or PHASES:
        found = points(phase)
        places = {(fault.call, fault.number) for fault in found}
        print(f"{phase}: {len(places)} points, {len(found)} faults")
        faults += found
    counts, findings = sweep(faults[:: options.every])
    print("\n".join([*findings, *counts]))
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
