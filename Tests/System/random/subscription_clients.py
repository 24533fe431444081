# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A subscriber that reads only when it is told, and compares what it reads with the model."""

import json
from collections.abc import Callable
from select import select

from fault import Fault
from subscription_model import History, View
from varlink_client import VarlinkClient

# How many calls of others the service answers before something that a subscriber has room for must have come.
PATIENCE = 300


class Reader:
    """One client, over several connections and subscriptions."""

    def __init__(self, history: History):
        self.history = history
        self.link: VarlinkClient | None = None
        self.view: View | None = None
        # The number up to which it has had all that it asked for last.
        self.seen: int | None = None

    @property
    def is_subscribed(self) -> bool:
        return self.view is not None

    def ask(self, connect: Callable[[], VarlinkClient], names: list[str] | None, after: int | None) -> None:
        """Sends the request, on the connection that it has or a new one."""
        if self.link is None:
            self.link = connect()
            self.link.socket.settimeout(0)
        self.view = View(self.history, None if names is None else frozenset(names), after)
        parameters = {"names": names, "after": after}
        self.link.send("Subscribe", {key: value for key, value in parameters.items() if value is not None}, more=True)

    def leave(self) -> None:
        if self.link:
            self.link.socket.close()
        self.link = self.view = None

    def read(self, budget: int) -> bool:
        """Reads at most so many bytes; returns whether anything has arrived."""
        before = len(self.link.pending)
        frames = self.link.arrived(budget)
        if frames is None:
            raise Fault(f"the service has closed the connection of {self.view}")
        for frame in frames:
            self.receive(json.loads(frame))
        return bool(frames) or len(self.link.pending) > before

    def read_the_first(self) -> None:
        """Waits for the state, and reads no more of what follows it than it must."""
        self.link.socket.settimeout(20)
        while self.view and self.view.at is None:
            self.read(1)
        self.link.socket.settimeout(0)

    def read_to_the_end(self) -> None:
        """The service has ended: what it sent before is right, though perhaps not whole."""
        while self.link and (frames := self.link.arrived()) is not None:
            for frame in frames:
                self.receive(json.loads(frame))
            if not frames and not select([self.link.socket], [], [], 20)[0]:
                raise Fault(f"{self.view} is still connected")
        self.leave()

    def receive(self, frame: dict) -> None:
        if self.view is None:
            raise Fault(f"a client that has not subscribed got {frame}")
        parameters = frame.get("parameters") or {}
        match frame.get("error"):
            case None if self.view.at is None:
                self.view.begin(parameters["state"])
            case None:
                self.view.see(parameters["notification"])
            case "io.belfry.Lifecycle.Overrun" if self.view.at is not None:
                self.view.overrun(parameters["dropped"])
            case "io.belfry.Lifecycle.NotRetained" if self.view.at is None:
                self.view.refuse(parameters["oldest"])
            case _:
                raise Fault(f"{self.view} got {frame}")
        if self.view.at is not None:
            self.seen = self.view.at
        if frame.get("error"):
            self.view = None

    def is_owed(self) -> bool:
        return self.view is not None and (self.view.at is None or self.view.owed() is not None)

    def catch_up(self, turn: Callable[[], object]) -> None:
        """Reads until it has all that it must get, and no more comes while `turn` has the service answer others."""
        turns = 0
        while self.link:
            if self.read(1 << 20):
                turns = 0
            elif not self.is_owed() and turns > 1:
                return
            elif turns > PATIENCE:
                raise Fault(f"{self.view} is owed {self.view.at and self.view.owed()}, and gets nothing")
            else:
                turn()
                turns += 1
