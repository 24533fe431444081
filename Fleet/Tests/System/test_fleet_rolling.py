# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Rolling commands: one host after the other, stopped when too many are away."""

from contextlib import contextmanager
from threading import Event, Thread

from fleet_bed import HOSTS
from fleet_spy import FleetSpy

ROLL = ["--hosts", "h?", "--rolling", "1", "--healthy", "500ms", "--timeout", "10s"]
PAUSE = ["pause", *ROLL, "--for", "300ms"]


class Counter:
    """Counts how many hosts are active by their own sockets, all the time."""

    def __init__(self, fleet):
        # Here, because a connection changes the working directory of all threads for a moment.
        self.clients = [host.connect() for host in fleet.hosts.values()]
        self.least = len(HOSTS)
        self.ended = Event()
        self.thread = Thread(target=self._count)
        self.thread.start()

    def close(self) -> None:
        self.ended.set()
        self.thread.join()
        for client in self.clients:
            client.socket.close()

    def _count(self) -> None:
        while not self.ended.is_set():
            active = sum(client.call("GetState")["state"] == "active" for client in self.clients)
            self.least = min(self.least, active)


@contextmanager
def counter(fleet):
    counter = Counter(fleet)
    try:
        yield counter
    finally:
        counter.close()


def names(fleet, host: str) -> list[str]:
    """The notifications of a host since the reset."""
    fleet.hosts[host].wait_until_logged()
    return [record["BELFRY_NOTIFICATION"] for record in fleet.hosts[host].notifications()]


def test_rolling_pause_leaves_at_least_two_hosts_active(fleet):
    with counter(fleet) as counted:
        done = fleet.operator.fleet(*PAUSE)
    assert counted.least == 2, done
    for name in HOSTS:
        assert name in done.stdout
        assert names(fleet, name).count("didEnterBackground") == 1
    fleet.wait_until_active(2)


def test_nothing_more_is_drained_when_a_host_dies(fleet):
    """The first host is brought back, and the roll is continued when the dead host has come back."""
    spy = FleetSpy(fleet.broker)
    try:
        with fleet.operator.running_fleet(*PAUSE[:-1], "2s") as roll:
            spy.wait_for_state("h1", "background")
            fleet.kill_host("h3")
            stdout, stderr = roll.communicate(timeout=60)
    finally:
        spy.close()
    assert roll.returncode != 0 and "h3" in stdout + stderr, (stdout, stderr)
    fleet.operator.wait_for_states(2, h1="active", h2="active", h3="dead")
    assert "didEnterBackground" not in names(fleet, "h2")
    # A new one is refused until this one is continued or cancelled.
    assert fleet.operator.fleet(*PAUSE, check=False).returncode != 0
    fleet.boot_again("h3")
    fleet.hosts["h3"].skip_old_records()
    fleet.wait_until_active()
    done = fleet.operator.fleet("continue")
    assert "h2" in done.stdout
    # The first host, which was interrupted, may be paused again.
    assert [names(fleet, name).count("didEnterBackground") for name in ("h2", "h3")] == [1, 1]
