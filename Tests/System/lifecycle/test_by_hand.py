# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""belfryd without a service manager: by hand, in a terminal, and as the first process of a container."""

import os
import pty
import select
import signal
import socket
import struct
import time
from contextlib import contextmanager

import pytest
from varlink_client import VarlinkClient

FOLDER = "/run/belfry-by-hand"
ADDRESS = f"{FOLDER}/io.belfry.Lifecycle"
PLACES = [f"RUNTIME_DIRECTORY={FOLDER}", f"STATE_DIRECTORY={FOLDER}"]
DAEMON = ["belfryd", "--config", "/dev/null", "--socket", ADDRESS]


class ByHand:
    """A host with belfryd installed, which is run there as an ordinary program."""

    def __init__(self, belfry, wrapper: list[str]):
        self.belfry = belfry
        self.host = belfry.host
        self.command = ["env", "--unset=NOTIFY_SOCKET", *PLACES, *wrapper, *DAEMON]

    def connect(self) -> VarlinkClient:
        return VarlinkClient(self.host.path(ADDRESS))

    @contextmanager
    def running(self):
        """belfryd runs during the block, and is then stopped."""
        with self.host.running(*self.command) as program:
            self.belfry.wait_for(lambda: program.poll() is not None or self.is_active(), "become active by hand")
            yield
            os.kill(self.outer_pid(), signal.SIGTERM)
            assert program.wait(20) == 0, program.stderr.read()

    def outer_pid(self) -> int:
        """The id of its process outside the host."""
        with self.connect() as client:
            credentials = client.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return struct.unpack("3i", credentials)[0]

    def is_active(self) -> bool:
        try:
            with self.connect() as client:
                return client.call("GetState")["state"] == "active"
        except OSError:
            return False


@pytest.fixture
def by_hand(on_each):
    """Creates one with this beginning of its command line."""
    on_each.host.run("mkdir", "-m", "700", FOLDER)
    yield lambda *wrapper: ByHand(on_each, list(wrapper))
    on_each.host.run("rm", "-r", FOLDER)


def test_first_process_of_a_container_stops_at_a_signal(by_hand):
    service = by_hand("unshare", "--pid", "--fork")

    with service.running():
        with service.connect() as client:
            assert client.call("GetState")["pid"] == 1


class Terminal:
    """A terminal with an interactive shell of the host."""

    def __init__(self, host):
        pid, self.descriptor = pty.fork()
        if pid == 0:
            command = host.enter("setpriv", "--pdeathsig", "KILL", "bash", "--norc", "--noprofile", "-i")
            os.execvp(command[0], command)
        self.pid = pid
        self.text = ""

    def type(self, keys: str) -> None:
        os.write(self.descriptor, keys.encode())

    def read_until(self, text: str, seconds: float = 30) -> str:
        """What was printed up to and including the text."""
        deadline = time.monotonic() + seconds
        while (end := self.text.find(text)) < 0:
            ready, _, _ = select.select([self.descriptor], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"the terminal did not show {text!r}, but {self.text!r}"
            self.text += os.read(self.descriptor, 1 << 16).decode(errors="replace")
        end += len(text)
        shown, self.text = self.text[:end], self.text[end:]
        return shown

    def close(self) -> None:
        os.close(self.descriptor)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@pytest.fixture
def terminal(on_each):
    terminal = Terminal(on_each.host)
    yield terminal
    terminal.close()


def test_suspend_key_pauses_and_stops_the_process_until_fg(by_hand, terminal):
    service = by_hand()
    terminal.type(" ".join(service.command) + "\n")
    terminal.read_until("didBecomeActive")

    terminal.type("\x1a")
    paused = terminal.read_until("Stopped")
    assert "didEnterBackground inactive -> background, SIGTSTP from the kernel" in paused
    terminal.type("fg\n")
    terminal.read_until("didBecomeActive")
    terminal.type("\x03")
    terminal.read_until("willTerminate")
    terminal.type("echo status $?\n")
    terminal.read_until("status 0")
