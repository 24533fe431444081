# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A client of MQTT 5, written from the standard alone."""

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path

import mqtt_packets as mqtt
from mqtt_packets import Message, Packet

# The name in the certificate of the broker.
BROKER = "broker.example"


class Refused(Exception):
    """The broker refused a connection, a subscription or a message; the reason codes are in section 2.4."""

    def __init__(self, what: str, code: int):
        super().__init__(f"the broker refused {what} with the reason code {code:#x}")
        self.code = code


class MqttClient(asyncio.Protocol):
    """One connection with clean start. `ended` is done when it is over."""

    def __init__(self, on_message: Callable[[Message], None] = lambda message: None):
        self.on_message = on_message
        self.transport: asyncio.Transport | None = None
        self.pending = bytearray()
        self.ended = asyncio.get_running_loop().create_future()
        # The acknowledgement that each identifier waits for.
        self.awaited: dict[int, asyncio.Future] = {}
        self.connected = asyncio.get_running_loop().create_future()
        self.identifier = 0
        self.room = asyncio.Semaphore(1)
        self.keepalive: asyncio.TimerHandle | None = None

    @classmethod
    async def connect(
        cls,
        address: tuple[str, int],
        name: str,
        tls: ssl.SSLContext | None = None,
        will: Message | None = None,
        keepalive: int = 30,
        on_message: Callable[[Message], None] = lambda message: None,
        seconds: float = 30,
    ) -> "MqttClient":
        """Connects with the client id `name`, and returns after the CONNACK. Raises OSError, TimeoutError or Refused."""
        loop = asyncio.get_running_loop()
        client = cls(on_message)
        async with asyncio.timeout(seconds):
            host = BROKER if tls else None
            try:
                await loop.create_connection(lambda: client, *address, ssl=tls, server_hostname=host)
                client.send(mqtt.connect(name, keepalive, will))
                await client.connected
            except BaseException:
                client.abort()
                raise
        if keepalive:
            client._keep_alive(keepalive)
        return client

    async def subscribe(self, *topics: str, qos: int = 1) -> None:
        identifier, answer = self._expect()
        self.send(mqtt.subscribe(identifier, list(topics), qos))
        body = (await answer).body
        for code in body[mqtt.properties(body, 2)[1] :]:
            if code > 2:
                raise Refused(f"a subscription to {topics}", code)

    async def publish(self, message: Message) -> None:
        """Publishes with QoS 1, and returns after the acknowledgement. A refusal raises Refused."""
        async with self.room:
            identifier, answer = self._expect()
            self.send(mqtt.publish(message, identifier))
            if (code := mqtt.reason(await answer, 2)) >= 0x80:
                raise Refused(f"a message to {message.topic}", code)

    async def disconnect(self) -> None:
        """An orderly end: the broker does not publish the will."""
        self.send(mqtt.packet(mqtt.DISCONNECT, 0))
        self.transport.close()
        await self.ended

    def abort(self) -> None:
        """Ends the connection without DISCONNECT: the broker publishes the will."""
        if self.transport:
            self.transport.abort()

    def send(self, data: bytes) -> None:
        if self.transport is None or self.transport.is_closing():
            raise ConnectionResetError("the connection to the broker has ended")
        self.transport.write(data)

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.pending += data
        for packet in mqtt.packets(self.pending):
            self._receive(packet)

    def connection_lost(self, error: Exception | None) -> None:
        if self.keepalive:
            self.keepalive.cancel()
        over = ConnectionResetError(f"the connection to the broker has ended: {error}")
        for waiting in [self.connected, *self.awaited.values()]:
            if not waiting.done():
                waiting.set_exception(over)
                # It need not be awaited.
                waiting.exception()
        if not self.ended.done():
            self.ended.set_result(error)

    def _receive(self, packet: Packet) -> None:
        match packet.kind:
            case mqtt.PUBLISH:
                message, identifier = mqtt.published(packet)
                if identifier is not None:
                    self.transport.write(mqtt.acknowledge(identifier))
                self.on_message(message)
            case mqtt.PUBACK | mqtt.SUBACK:
                answer = self.awaited.pop(mqtt.short(packet.body, 0), None)
                if answer and not answer.done():
                    answer.set_result(packet)
            case mqtt.CONNACK if not self.connected.done():
                code = packet.body[1]
                found, _ = mqtt.properties(packet.body, 2)
                self.room = asyncio.Semaphore(int.from_bytes(found.get(mqtt.RECEIVE_MAXIMUM, b"\xff\xff")))
                if code:
                    self.connected.set_exception(Refused("the connection", code))
                else:
                    self.connected.set_result(packet)
            case mqtt.PINGRESP | mqtt.DISCONNECT:
                pass
            case _:
                raise ValueError(f"the broker sent {packet}")

    def _expect(self) -> tuple[int, asyncio.Future]:
        while True:
            self.identifier = self.identifier % 0xFFFF + 1
            if self.identifier not in self.awaited:
                break
        answer = asyncio.get_running_loop().create_future()
        self.awaited[self.identifier] = answer
        return self.identifier, answer

    def _keep_alive(self, seconds: int) -> None:
        if not self.transport.is_closing():
            self.transport.write(mqtt.packet(mqtt.PINGREQ, 0))
            self.keepalive = asyncio.get_running_loop().call_later(seconds, self._keep_alive, seconds)


def client_context(authority: Path, certificate: Path | None = None, key: Path | None = None) -> ssl.SSLContext:
    """TLS that verifies the broker, and shows a certificate if there is one."""
    context = ssl.create_default_context(cafile=authority)
    if certificate:
        context.load_cert_chain(certificate, key)
    return context
