# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""mosquitto with Belfry's configuration: how much it takes and keeps. AccessRulesTests.swift says who may do what."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from fleet_broker import FleetBroker
from fleet_network import FleetNetwork
from mqtt_client import MqttClient, Refused
from mqtt_packets import Message

NAMES = ["h1", "h2", "operator"]
STATE = "belfry/default/h1/state"


@pytest.fixture(scope="module")
def broker():
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
