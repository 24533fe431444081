# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The clients of the soak, which never wait for the service: subscribers that connect again and ask for what they
missed, and one that posts."""

import json
import time
from collections import Counter, deque
from collections.abc import Callable

from fault import Fault
from soak_model import NOT_RETAINED, OVERRUN, POST, Model, View
from varlink_client import VarlinkClient


class Follower:
    """A subscriber. `pump` reads what it wants to read; without a connection it needs `connect`."""

    def __init__(self, model: Model, names: set[str] | None = None, lags: bool = False):
        self.view = View(model, names, lags)
        self.link: VarlinkClient | None = None
        # Seconds of the monotonic clock when it connected, and when it read the reply with the state; None before.
        self.connected = 0.0
        self.since: float | None = None
        # Bytes that it reads each time, or None for all.
        self.budget: int | None = None

    def connect(self, client: VarlinkClient) -> None:
        parameters = {} if self.view.last is None else {"after": self.view.last}
        if self.view.names is not None:
            parameters["names"] = sorted(self.view.names)
        client.send("Subscribe", parameters, more=True)
        client.socket.settimeout(0)
        self.link, self.since, self.connected = client, None, time.monotonic()

    def disconnect(self) -> None:
        if self.link:
            self.link.socket.close()
        self.link = self.since = None

    def is_at(self, number: int) -> bool:
        """Whether it has seen everything up to this number or, with names, all that somebody has seen."""
        view = self.view
        if view.last is None:
            return False
        return view.last >= (number if view.names is None else max(view.model.latest[name] for name in view.names))

    def pump(self, now: float) -> bool:
        """Reads; returns false if the service has closed the connection."""
        frames = self.link.arrived(1 << 20 if self.budget is None else self.budget)
        if frames is None:
            self.disconnect()
            return False
        for frame in frames:
            if self.link is None:
                raise Fault(f"{frame} came after an error, which is the last reply")
            self._receive(json.loads(frame), now)
        return True

    def _receive(self, frame: dict, now: float) -> None:
        parameters = frame.get("parameters") or {}
        error = frame.get("error")
        if error == OVERRUN:
            self.view.overrun(parameters["dropped"])
        elif error == NOT_RETAINED:
            self.view.not_retained(parameters["oldest"])
        elif error:
            raise Fault(f"a subscriber got {frame}")
        elif self.since is None:
            self.view.begin(parameters["state"]["sequence"])
            self.since = now
        else:
            self.view.see(parameters["notification"])
        if error:
            self.disconnect()


class Poster:
    """Posts, and hands the numbers in the replies to the model."""

    def __init__(self, model: Model):
        self.model = model
        self.link: VarlinkClient | None = None
        self.outstanding: deque[int] = deque()
        self.next = 0
        self.counts: Counter[str] = Counter()

    def post(self, connect: Callable[[], VarlinkClient], sizes: list[int]) -> None:
        """Posts once for each size of the payload."""
        if self.link is None:
            self.link = connect()
        self.link.socket.settimeout(20)
        for size in sizes:
            parameters = {"name": POST, "userInfo": {"post": self.next, "filler": "x" * size}}
            try:
                self.link.send("Post", parameters)
            except OSError:
                break
            self.outstanding.append(self.next)
            self.next += 1
            self.counts["posts"] += 1
        self.link.socket.settimeout(0)

    def close(self) -> None:
        if self.link:
            self.link.socket.close()
        self.link = None

    def pump(self, errors_are_legal: bool) -> bool:
        """Reads replies; returns false if the service has closed the connection. Then nobody knows about the rest."""
        if self.link is None:
            return True
        frames = self.link.arrived()
        if frames is None:
            self.counts["posts without a reply"] += len(self.outstanding)
            self.outstanding.clear()
            self.close()
            return False
        for frame in map(json.loads, frames):
            post = self.outstanding.popleft()
            if "error" not in frame:
                self.model.accept(post, frame["parameters"]["sequence"])
            elif errors_are_legal:
                self.counts["posts refused"] += 1
            else:
                raise Fault(f"a post got {frame}")
        return True
