# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""mosquitto with Belfry's configuration: who may do what, and what it keeps."""

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable

import pytest
from fleet_broker import FleetBroker
from fleet_certificates import FleetCertificates
from fleet_network import FleetNetwork
from mqtt_client import MqttClient, Refused, client_context
from mqtt_packets import Message

NAMES = ["h1", "h2", "operator", "deploy"]
NOT_AUTHORIZED = 0x87
STATE = "belfry/default/h1/state"


@pytest.fixture(scope="module")
def running_broker():
    network = FleetNetwork()
    broker = FleetBroker(network)
    try:
        for name in NAMES:
            broker.certificates.add(name)
        broker.start()
        yield broker
    finally:
        broker.close()
        network.close()


@pytest.fixture
def broker(running_broker):
    yield running_broker
    run(running_broker, lambda: delete(running_broker))


async def delete(broker: FleetBroker) -> None:
    host = await connect(broker, "h1")
    await host.publish(Message(STATE, b"", retained=True))
    await host.disconnect()


def run(broker: FleetBroker, work: Callable[[], Awaitable]):
    """What the work returns, in the network of the broker."""
    return broker.network.call(lambda: asyncio.run(work())).result(timeout=60)


async def connect(broker: FleetBroker, name: str, **options) -> MqttClient:
    return await MqttClient.connect(broker.address, name, broker.certificates.context(name), **options)


async def until(question: Callable[[], object]) -> None:
    """Waits for something that other clients cause."""
    async with asyncio.timeout(20):
        while not question():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "name, topic, is_allowed",
    [
        ("h1", "h1/state", True),
        ("h1", "h1/notification/didBecomeActive", True),
        ("h1", "h1/reply/operator", True),
        ("h1", "h2/state", False),
        ("h1", "h2/notification/didBecomeActive", False),
        ("h1", "h2/reply/operator", False),
        ("h1", "h2/command/operator", False),
        ("h1", "h1/command/operator", False),
        ("operator", "h1/command/operator", True),
        ("operator", "h1/command/deploy", False),
        ("operator", "h1/reply/operator", False),
        ("operator", "h1/notification/didBecomeActive", False),
    ],
)
def test_certificate_binds_its_owner_to_its_topics(broker, name, topic, is_allowed):
    async def attempt() -> int:
        client = await connect(broker, name)
        try:
            await client.publish(Message(f"belfry/default/{topic}", b"{}"))
            return 0
        except Refused as refused:
            return refused.code
        finally:
            client.abort()

    assert run(broker, attempt) == (0 if is_allowed else NOT_AUTHORIZED)


def test_host_reads_only_what_is_its_own(broker):
    async def read() -> list[str]:
        read = []
        host = await connect(broker, "h1", on_message=lambda message: read.append(message.topic))
        await host.subscribe("belfry/default/#", "belfry/default/h2/#", "#")
        operator = await connect(broker, "operator")
        other = await connect(broker, "h2")
        await other.publish(Message("belfry/default/h2/state", b"{}"))
        await other.publish(Message("belfry/default/h2/reply/operator", b"{}"))
        await operator.publish(Message("belfry/default/h2/command/operator", b"{}"))
        await operator.publish(Message("belfry/default/h1/command/operator", b"{}"))
        await until(lambda: read)
        return read

    # It may come once for each subscription.
    assert set(run(broker, read)) == {"belfry/default/h1/command/operator"}


def test_client_needs_a_certificate_of_the_authority(broker, tmp_path):
    other = FleetCertificates(tmp_path)
    other.add("operator")
    without = client_context(broker.certificates.authority)
    foreign = client_context(broker.certificates.authority, other.path("operator"), other.key)
    for tls in (without, foreign, None):
        with pytest.raises((OSError, Refused, ssl.SSLError, TimeoutError)):
            run(broker, lambda tls=tls: MqttClient.connect(broker.address, "operator", tls, seconds=5))


def test_will_is_published_for_a_connection_that_breaks(broker):
    async def live() -> tuple[list[bytes], float]:
        states = []
        operator = await connect(broker, "operator", on_message=lambda message: states.append(message.payload))
        await operator.subscribe(STATE)
        for end in ("disconnect", "abort"):
            host = await connect(broker, "h1", will=Message(STATE, b"dead", retained=True))
            await host.publish(Message(STATE, b"active", retained=True))
            if end == "abort":
                began = time.monotonic()
                host.abort()
            else:
                await host.disconnect()
        await until(lambda: b"dead" in states)
        return states, time.monotonic() - began

    states, seconds = run(broker, live)
    assert states == [b"active", b"active", b"dead"] and seconds < 2


def test_states_survive_kill_9(broker):
    async def publish() -> None:
        host = await connect(broker, "h1")
        await host.publish(Message(STATE, b"stopped", retained=True))
        await host.disconnect()

    async def read() -> list[Message]:
        read = []
        operator = await connect(broker, "operator", on_message=read.append)
        await operator.subscribe("belfry/+/+/state")
        await until(lambda: read)
        return read

    run(broker, publish)
    database = broker.folder / "lib/mosquitto.db"
    deadline = time.monotonic() + 20
    while not (database.exists() and b"stopped" in database.read_bytes()):
        assert time.monotonic() < deadline, "mosquitto did not write its database"
        time.sleep(0.05)
    broker.kill()
    broker.start()

    assert [message.payload for message in run(broker, read)] == [b"stopped"]


def test_slow_consumer_gets_all_of_a_burst(broker):
    count = 3000

    async def flood() -> int:
        read = []
        operator = await connect(broker, "operator", on_message=read.append)
        await operator.subscribe("belfry/default/#")
        host = await connect(broker, "h1")
        operator.transport.pause_reading()
        payload = b"x" * 500
        await asyncio.gather(*[host.publish(Message("belfry/default/h1/notification/n", payload)) for _ in range(count)])
        operator.transport.resume_reading()
        await until(lambda: len(read) >= count)
        return len(read)

    assert run(broker, flood) == count


def test_message_that_is_too_large_ends_the_connection_of_its_sender_only(broker):
    async def send() -> bool:
        host, other = await connect(broker, "h1"), await connect(broker, "h2")
        with pytest.raises((Refused, ConnectionResetError)):
            await host.publish(Message(STATE, bytes(4 << 20)))
        await other.publish(Message("belfry/default/h2/notification/n", b"{}"))
        return True

    assert run(broker, send)
