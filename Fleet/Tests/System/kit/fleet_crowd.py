# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Thousands of simulated hosts on one mosquitto, as docs/fleet.md describes a host, and what they cost the broker.

    python3 Fleet/Tests/System/kit/fleet_crowd.py [--hosts 2000] [--renewal 30] [--steady 60] [--away 10] [--view belfry-fleetd]

It needs root and mosquitto. It prints what the storm of connections costs at first and after kill -9 of the broker, and what
the hosts cost afterwards. With --view the program shows the fleet, and its count is compared with the truth.
"""

import argparse
import asyncio
import json
import random
import resource
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).parents[4] / "Tests/System/kit"))

from fleet_broker import FleetBroker
from fleet_network import FleetNetwork
from fleet_view import FleetView
from mqtt_client import MqttClient, Refused
from mqtt_packets import Message
from programs import memory, processor_time

FLEET = "default"
KEEPALIVE = 30
# The delay before an attempt to connect is between 0 and the first value, which doubles after each failure up to the second.
BACKOFF, BACKOFF_MAX = 0.5, 60.0
PATIENCE = 300


class SimulatedHost:
    """A host without a machine: its will, its births, renewals and changes of its state."""

    def __init__(self, crowd: "Crowd", name: str):
        self.crowd, self.name = crowd, name
        self.state = "active"
        self.sequence = random.randrange(1, 1000)
        self.boot = uuid.uuid4().hex
        self.client: MqttClient | None = None
        self.living: asyncio.Task | None = None

    def start(self) -> None:
        self.state = "active"
        self.living = asyncio.create_task(self._live())

    def die(self) -> None:
        """Ends at once, so that the broker publishes the will."""
        self.living.cancel()
        self.state = "dead"

    async def change(self, state: str) -> None:
        self.state = state
        self.sequence += 1
        await self._publish()

    async def _live(self) -> None:
        ceiling = BACKOFF
        while True:
            await asyncio.sleep(random.uniform(0, ceiling))
            ceiling = min(2 * ceiling, BACKOFF_MAX)
            self.crowd.attempts.append(time.monotonic())
            self.session = uuid.uuid4().hex
            will = Message(self._topic("state"), _json({"state": "dead", "session": self.session}), retained=True)
            try:
                self.client = await MqttClient.connect(
                    self.crowd.broker.address,
                    self.name,
                    self.crowd.context(self.name),
                    will,
                    KEEPALIVE,
                    self._receive,
                )
                await self.client.subscribe(self._topic("command/+"), self._topic("state"))
                await self._publish()
                self.crowd.has(self, True)
                ceiling = BACKOFF
                while not self.client.ended.done():
                    await asyncio.wait([self.client.ended], timeout=self.crowd.renewal * random.uniform(0.9, 1.1))
                    await self._publish()
            except (OSError, TimeoutError, Refused) as error:
                self.crowd.failures[type(error).__name__] += 1
            finally:
                self.crowd.has(self, False)
                if self.client:
                    self.client.abort()
                    self.client = None

    async def _publish(self) -> None:
        now = time.time_ns() // 1000
        state = {"state": self.state, "session": self.session, "timeUsec": now, "sinceUsec": now, "bootId": self.boot}
        state |= {"validUntilUsec": now + int(3e6 * self.crowd.renewal), "sequence": self.sequence, "version": "0.1.0"}
        await self.client.publish(Message(self._topic("state"), _json(state), retained=True))
        self.crowd.published += 1

    def _receive(self, message: Message) -> None:
        self.crowd.received += 1
        if message.topic == self._topic("state") and (not message.payload or json.loads(message.payload)["state"] == "dead"):
            self.crowd.seen_dead += 1

    def _topic(self, below: str) -> str:
        return f"belfry/{FLEET}/{self.name}/{below}"


class Crowd:
    """All simulated hosts, and what happened to them."""

    def __init__(self, broker: FleetBroker, count: int, renewal: float):
        self.broker, self.renewal = broker, renewal
        self.hosts = [SimulatedHost(self, f"host{number:05}") for number in range(count)]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(broker.certificates.add, [host.name for host in self.hosts]))
        self.contexts = {host.name: broker.certificates.context(host.name) for host in self.hosts}
        self.connected: set[SimulatedHost] = set()
        self.connects: list[float] = []
        self.attempts: list[float] = []
        self.failures: Counter[str] = Counter()
        self.published = self.received = self.seen_dead = 0

    def context(self, name: str):
        return self.contexts[name]

    def has(self, host: SimulatedHost, is_connected: bool) -> None:
        if is_connected:
            self.connected.add(host)
            self.connects.append(time.monotonic())
        else:
            self.connected.discard(host)

    def truth(self) -> Counter[str]:
        return Counter(host.state for host in self.hosts)

    def forget(self) -> None:
        """What is counted begins anew."""
        self.connects, self.attempts = [], []
        self.failures.clear()
        self.published = self.received = 0


def _json(value: dict) -> bytes:
    return json.dumps(value).encode()


class Measurement:
    """The phases, one after the other. `report` gets the figures, one line each."""

    def __init__(self, crowd: Crowd, view: FleetView | None, report: Callable[[str], None]):
        self.crowd, self.broker, self.view, self.report = crowd, crowd.broker, view, report
        self.count = len(crowd.hosts)

    async def run(self, steady: float, away: float) -> None:
        """Measures `steady` seconds with renewals only, and an end of the broker for `away` seconds."""
        empty = self.memory()
        await self.storm("first connections", self.crowd.hosts)
        self.report(f"broker: {(self.memory() - empty) / self.count:.1f} KiB for each host, {self.memory()} KiB in all")
        await self.rest(steady)
        await self.change()
        await self.die(self.crowd.hosts[:: max(1, self.count // 100)])
        self.broker.kill()
        await self.until(lambda: not self.crowd.connected, "notice the end of the broker")
        self.crowd.forget()
        await asyncio.sleep(away)
        vain = len(self.crowd.attempts)
        self.broker.start()
        await self.storm(f"connections after kill -9, {away:g} s and {vain} vain attempts", [])
        await self.rest(steady)

    async def storm(self, what: str, starting: list[SimulatedHost]) -> None:
        begin, used = time.monotonic(), self.used()
        for host in starting:
            host.start()
        await self.until(lambda: len(self.crowd.connected) == self.count, "connect")
        times = sorted(at - begin for at in self.crowd.connects)
        attempts = Counter(int(at - begin) for at in self.crowd.attempts if at >= begin)
        used = self.used() - used
        self.report(
            f"{what}: half of {self.count} hosts after {times[len(times) // 2]:.1f} s, all after {times[-1]:.1f} s; at most"
            f" {max(attempts.values())} attempts in a second, {sum(attempts.values())} in all, failed {dict(self.crowd.failures)};"
            f" broker CPU {used:.2f} s, {1000 * used / self.count:.2f} ms for each host, at most {self.memory('VmHWM')} KiB"
        )
        await self.compare()

    async def rest(self, seconds: float) -> None:
        """Only renewals."""
        crowd = self.crowd
        crowd.forget()
        begin, used = time.monotonic(), self.used()
        await asyncio.sleep(seconds)
        seconds, used = time.monotonic() - begin, self.used() - used
        assert crowd.published and not crowd.attempts, f"{len(crowd.attempts)} hosts lost their connection"
        self.report(
            f"renewals every {crowd.renewal:g} s: {crowd.published / seconds:.1f} published and {crowd.received / seconds:.1f}"
            f" received a second; broker CPU {100 * used / seconds:.2f} %, {1e6 * used / crowd.published:.0f} us for each,"
            f" {self.memory()} KiB"
        )
        await self.compare()

    async def change(self) -> None:
        """Each host changes once."""
        begin, used = time.monotonic(), self.used()
        await asyncio.gather(*[host.change("background") for host in self.crowd.hosts])
        seconds, used = time.monotonic() - begin, self.used() - used
        self.report(
            f"one change of each host: {self.count / seconds:.0f} acknowledged a second;"
            f" broker CPU {1e6 * used / self.count:.0f} us for each"
        )
        await self.compare()

    async def die(self, some: list[SimulatedHost]) -> None:
        for host in some:
            host.die()
        await self.compare()
        for host in some:
            host.start()
        await self.until(lambda: len(self.crowd.connected) == self.count, "come back")
        await self.compare()

    async def compare(self) -> None:
        """The view counts what is true."""
        if not self.view:
            return
        begin, truth = time.monotonic(), self.crowd.truth()
        while (counted := await asyncio.to_thread(self.view.count)) != truth:
            assert time.monotonic() < begin + PATIENCE, f"the view has {counted}, but the truth is {truth}"
            await asyncio.sleep(0.05)
        pid = self.view.process.pid
        self.report(
            f"  the view is right after {time.monotonic() - begin:.1f} s: {dict(truth)};"
            f" it has used {processor_time(pid):.2f} s CPU, and has {memory(pid)} KiB"
        )

    async def until(self, question: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not question():
            assert time.monotonic() < deadline, f"{len(self.crowd.connected)} hosts are connected: they did not {what}"
            await asyncio.sleep(0.02)

    def used(self) -> float:
        return processor_time(self.broker.process.pid)

    def memory(self, kind: str = "VmRSS") -> int:
        return memory(self.broker.process.pid, kind)


def measure(
    hosts: int, renewal: float, steady: float, away: float, program: str | None, report: Callable[[str], None]
) -> None:
    """All that the program does; `program` is the belfry-fleetd that shows the fleet."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    network = FleetNetwork()
    broker = FleetBroker(network)
    view = FleetView(broker, program, FLEET) if program else None
    try:
        broker.start()
        crowd = Crowd(broker, hosts, renewal)
        if view:
            view.start()
        network.call(lambda: asyncio.run(Measurement(crowd, view, report).run(steady, away))).result()
    finally:
        if view:
            view.close()
        broker.close()
        network.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulated hosts on one mosquitto.")
    parser.add_argument("--hosts", type=int, default=2000)
    parser.add_argument("--renewal", type=float, default=30, help="seconds")
    parser.add_argument("--steady", type=float, default=60, help="seconds that are measured after each storm")
    parser.add_argument("--away", type=float, default=10, help="seconds for which the broker is away")
    parser.add_argument("--view", help="the belfry-fleetd that shows the fleet")
    options = parser.parse_args()
    measure(options.hosts, options.renewal, options.steady, options.away, options.view, lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
