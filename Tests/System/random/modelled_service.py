# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A service without systemd whose notifications are predicted: what is done to it adds to a `History` what must follow."""

from pathlib import Path

from fault import Fault
from hostile_clients import call
from managed_service import ManagedService
from subscription_model import Entry, History, Memory

CONFIGURATION = """
[Logger]
Level=warning
Target=stderr
[Socket]
Group=root
ReplaySize={size}
ReplayMax={most}
"""
# docs/notifications.md: the state before and the method, the notifications, and the state after.
CHANGES = {
    ("active", "Pause"): (["willResignActive", "didEnterBackground"], "background"),
    ("inactive", "Pause"): (["didEnterBackground"], "background"),
    ("background", "Resume"): (["willEnterForeground", "didBecomeActive"], "active"),
    ("inactive", "Resume"): (["didBecomeActive"], "active"),
    ("active", "Interrupt"): (["willResignActive"], "inactive"),
}
STOPS = {
    "active": ["willResignActive", "didEnterBackground", "willTerminate"],
    "inactive": ["didEnterBackground", "willTerminate"],
    "background": ["willTerminate"],
}


class ModelledService(ManagedService):
    """With this ReplaySize= and ReplayMax=."""

    def __init__(self, folder: Path, size: int, most: int):
        super().__init__(folder, CONFIGURATION.format(size=size, most=most))
        # The machine may be busy.
        self.environment["MEMORY_PRESSURE_WATCH"] = "/dev/null"
        self.history = History(Memory(size, most))
        self.state_name = "active"
        self.marks = 0

    def launch(self, uncertain: list[Entry] | tuple = ()) -> None:
        """Starts a process, which knows how many of the last posts the one before has accepted."""
        self.start()
        self.control = self.connect()
        # A pause outlives the process.
        if self.state_name != "background":
            self.state_name = "active"
        last = "didEnterBackground" if self.state_name == "background" else "didBecomeActive"
        added = [Entry(name) for name in ("willFinishLaunching", "didFinishLaunching", last)]
        # With this call it accepts the connection: one that it has not accepted waits for the next process.
        accepted = self.control.call("GetState")["sequence"] - self.history.last - len(added)
        if not 0 <= accepted <= len(uncertain):
            raise Fault(f"{accepted} of {len(uncertain)} posts were accepted before the end")
        self.history.append(*uncertain[:accepted], *added)
        self.settle()

    def settle(self) -> None:
        """Everything that was begun is done, as the model says."""
        for _ in range(1000):
            answer = self.control.call("GetState")
            if answer["sequence"] >= self.history.last:
                break
        got, wanted = (answer["sequence"], answer["state"]), (self.history.last, self.state_name)
        if got != wanted:
            raise Fault(f"the service is at {got}, not {wanted}")

    def posts(self, name: str, size: int, count: int, **flags: bool) -> tuple[list[Entry], bytes]:
        """What these posts add to the history, and the calls."""
        marks = range(self.marks, self.marks + count)
        self.marks += count
        calls = [call("Post", {"name": name, "userInfo": {"mark": mark, "fill": "x" * size}}, **flags) for mark in marks]
        return [Entry(name, mark, size) for mark in marks], b"".join(calls)

    def post(self, name: str, size: int, count: int, oneway: bool) -> None:
        """In one write."""
        entries, calls = self.posts(name, size, count, oneway=oneway)
        first = self.history.last + 1
        self.history.append(*entries)
        self.control.send_raw(calls)
        if not oneway:
            got = [self.control.reply()["sequence"] for _ in entries]
            if got != list(range(first, first + len(entries))):
                raise Fault(f"posts from {first} on got the numbers {got}")
        self.settle()

    def change(self, method: str) -> None:
        added, self.state_name = CHANGES.get((self.state_name, method), ([], self.state_name))
        self.history.append(*map(Entry, added))
        self.control.call(method)
        self.settle()

    def signal(self) -> None:
        self.history.append(Entry("flushRequested"))
        self.send("SIGUSR1")
        self.settle()

    def reload(self, most: int) -> None:
        """With this ReplayMax= from now on."""
        (self.folder / "belfry.conf").write_text(CONFIGURATION.format(size=self.history.memory.size, most=most))
        self.history.append(Entry("willReload"), Entry("didReload"))
        self.control.call("Reload")
        self.history.memory.set_most(most)
        self.settle()

    def restart(self) -> None:
        self.history.append(*map(Entry, STOPS[self.state_name]))
        self.stop()
        self.control.socket.close()
        self.launch()

    def crash(self, *posts) -> None:
        """kill -9 in the middle of these posts."""
        entries, calls = self.posts(*posts, oneway=True)
        self.control.send_raw(calls)
        self.kill()
        self.control.socket.close()
        self.launch(entries)
