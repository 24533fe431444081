# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A broker that does not keep to the standard, in a network of the test's own."""

import socket
from collections.abc import Callable
from contextlib import suppress
from threading import Event

import mqtt_packets as mqtt
from fleet_network import ADDRESS, FleetNetwork

PORT = 1883


class HostileBroker:
    """Does the same to each client, in turn. `clients` is how many there were."""

    def __init__(self, network: FleetNetwork, behaviour: Callable[[socket.socket], None]):
        self.behaviour = behaviour
        self.clients = 0
        self.is_closing = Event()
        self.server = network.call(lambda: socket.create_server((ADDRESS, PORT))).result(timeout=20)
        self.server.settimeout(0.1)
        self.ended = network.call(self._serve)

    def close(self) -> None:
        self.is_closing.set()
        self.ended.result(timeout=20)
        self.server.close()

    def _serve(self) -> None:
        while not self.is_closing.is_set():
            try:
                client, _ = self.server.accept()
            except TimeoutError:
                continue
            self.clients += 1
            client.settimeout(0.1)
            with client, suppress(OSError):
                while not self.is_closing.is_set():
                    self.behaviour(client)


def accept(client: socket.socket) -> None:
    """Reads the CONNECT of a new client, and accepts it."""
    if client.recv(1 << 16, socket.MSG_PEEK)[:1] == bytes([mqtt.CONNECT << 4]):
        client.recv(1 << 16)
        client.sendall(mqtt.packet(mqtt.CONNACK, 0, b"\0\0\0"))


def send(client: socket.socket, data: bytes) -> None:
    """Accepts a new client, and sends as much as it takes in a while. What it sends is read, and ignored."""
    with suppress(TimeoutError):
        accept(client)
    with suppress(TimeoutError):
        client.sendall(data)


def flood(client: socket.socket) -> None:
    """Commands without end, of which none can be understood."""
    message = mqtt.Message("belfry/default/h1/command/operator", b"{" * 1000)
    send(client, 100 * mqtt.publish(message, 7))
