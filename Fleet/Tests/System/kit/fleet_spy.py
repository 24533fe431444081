# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Sees all messages of a fleet, and sends what a test wants, without any code of Belfry."""

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition

from fleet_broker import FleetBroker
from mqtt_client import MqttClient
from mqtt_packets import Message


FLEET = "default"
NAME = "spy"
# It may do everything.
SPY_RULES = f"\nuser {NAME}\ntopic readwrite belfry/{FLEET}/#\n"


@dataclass(frozen=True)
class Seen:
    """A message, when it came (`time.monotonic`), and its topic below the fleet."""

    at: float
    host: str
    kind: str
    name: str
    content: dict
    message: Message


class FleetSpy:
    """A client with the certificate `NAME` and SPY_RULES. It connects again by itself as long as it is open."""

    def __init__(self, broker: FleetBroker):
        self.broker = broker
        self.seen: list[Seen] = []
        self.news = Condition()
        self.loop = asyncio.new_event_loop()
        self.client: MqttClient | None = None
        self.ended = broker.network.call(self._run)
        self.wait_for(lambda: self.client is not None, "connect")

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.following.cancel)
        self.ended.result(timeout=20)

    def state(self, host: str) -> dict:
        """The last state of a host; empty if none was seen, or it was deleted."""
        return next((one.content for one in reversed(self.seen) if (one.host, one.kind) == (host, "state")), {})

    def notifications(self, host: str) -> list[dict]:
        return [one.content for one in self.seen if (one.host, one.kind) == (host, "notification")]

    def replies(self, host: str, identifier: str) -> list[dict]:
        """The replies of a host to the command with this id, whoever sent it."""
        replies = [one.content for one in self.seen if (one.host, one.kind) == (host, "reply")]
        return [reply for reply in replies if reply.get("id") == identifier]

    def wait_for(self, question: Callable[[], object], what: str, seconds: float = 20):
        """Returns the first true answer. The question is asked after each message."""
        with self.news:
            answered = self.news.wait_for(question, seconds)
        assert answered, f"the spy did not {what} in {seconds} s, but saw {self.seen[-10:]}"
        return answered

    def wait_for_state(self, host: str, state: str, seconds: float = 20) -> dict:
        self.wait_for(lambda: self.state(host).get("state") == state, f"see {host} {state}", seconds)
        return self.state(host)

    def wait_for_replies(self, host: str, identifier: str, count: int = 1, seconds: float = 20) -> list[dict]:
        what = f"see {count} replies of {host} to {identifier}"
        self.wait_for(lambda: len(self.replies(host, identifier)) >= count, what, seconds)
        return self.replies(host, identifier)

    def publish(self, topic: str, content: dict | bytes, retained: bool = False, expiry: int | None = None) -> None:
        """Publishes below the fleet, and returns when the broker has acknowledged it. A refusal raises Refused."""
        payload = content if isinstance(content, bytes) else json.dumps(content).encode()
        message = Message(f"belfry/{FLEET}/{topic}", payload, retained, expiry)
        self._call(lambda: self.client.publish(message)).result(timeout=20)

    def command(self, host: str, content: dict, sender: str = "operator") -> None:
        self.publish(f"{host}/command/{sender}", content)

    def _call(self, coroutine: Callable) -> Future:
        return asyncio.run_coroutine_threadsafe(coroutine(), self.loop)

    def _run(self) -> None:
        self.following = self.loop.create_task(self._follow())
        with suppress(asyncio.CancelledError):
            self.loop.run_until_complete(self.following)

    async def _follow(self) -> None:
        context = self.broker.certificates.context(NAME)
        while True:
            client = None
            try:
                client = await MqttClient.connect(
                    self.broker.address, NAME, context, on_message=self._receive, seconds=5
                )
                await client.subscribe(f"belfry/{FLEET}/#")
                with self.news:
                    self.client = client
                    self.news.notify_all()
                await asyncio.shield(client.ended)
            except (OSError, TimeoutError):
                await asyncio.sleep(0.05)
            finally:
                if client:
                    client.abort()

    def _receive(self, message: Message) -> None:
        _, _, host, kind, *rest = message.topic.split("/")
        try:
            content = json.loads(message.payload)
        except (ValueError, RecursionError):
            # A deleted state, or rubbish of a test.
            content = {}
        with self.news:
            self.seen.append(Seen(time.monotonic(), host, kind, "/".join(rest), content, message))
            self.news.notify_all()
