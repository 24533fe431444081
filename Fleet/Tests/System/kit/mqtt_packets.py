# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The packets of MQTT 5 (OASIS mqtt-v5.0) that a client with QoS 0 and 1 sends and receives, as bytes."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 1, 2, 3, 4, 8, 9
PINGREQ, PINGRESP, DISCONNECT = 12, 13, 14
RECEIVE_MAXIMUM, MESSAGE_EXPIRY = 0x21, 0x02
# The length of each property by its identifier (section 2.2.2.2): a number of bytes, or the kinds of variable length.
FIXED = {
    1: (0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A),
    2: (0x13, 0x21, 0x22, 0x23),
    4: (0x02, 0x11, 0x18, 0x27),
}
LENGTHS = {identifier: length for length, identifiers in FIXED.items() for identifier in identifiers}
STRING_PAIR, VARIABLE_NUMBER = 0x26, 0x0B


@dataclass(frozen=True)
class Message:
    """A message as published or received; `expiry` in seconds."""

    topic: str
    payload: bytes
    retained: bool = False
    expiry: int | None = None


@dataclass(frozen=True)
class Packet:
    kind: int
    flags: int
    body: bytes


def number(value: int) -> bytes:
    """A variable byte integer."""
    encoded = bytearray()
    while True:
        value, low = divmod(value, 128)
        encoded.append(low | (128 if value else 0))
        if not value:
            return bytes(encoded)


def text(value: str | bytes) -> bytes:
    """A string or binary data, with its length."""
    data = value.encode() if isinstance(value, str) else value
    return struct.pack(">H", len(data)) + data


def packet(kind: int, flags: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return bytes([kind << 4 | flags]) + number(len(body)) + body


def connect(client: str, keepalive: int, will: Message | None = None) -> bytes:
    """A clean start, with a session that ends with the connection, and a will with QoS 1."""
    flags = 0x02 | (0x04 | 0x08 | (0x20 if will.retained else 0) if will else 0)
    last = [b"\0", text(will.topic), text(will.payload)] if will else []
    return packet(CONNECT, 0, text("MQTT"), bytes([5, flags]), struct.pack(">H", keepalive), b"\0", text(client), *last)


def publish(message: Message, identifier: int | None, repeated: bool = False) -> bytes:
    """With QoS 1 if it has an identifier, else with QoS 0."""
    expiry = b"" if message.expiry is None else struct.pack(">BI", MESSAGE_EXPIRY, message.expiry)
    flags = (8 if repeated else 0) | (0 if identifier is None else 2) | (1 if message.retained else 0)
    named = b"" if identifier is None else struct.pack(">H", identifier)
    return packet(PUBLISH, flags, text(message.topic), named, number(len(expiry)), expiry, message.payload)


def acknowledge(identifier: int) -> bytes:
    return packet(PUBACK, 0, struct.pack(">H", identifier))


def subscribe(identifier: int, topics: list[str], qos: int) -> bytes:
    return packet(SUBSCRIBE, 2, struct.pack(">H", identifier), b"\0", *[text(topic) + bytes([qos]) for topic in topics])


def properties(body: bytes, begin: int) -> tuple[dict[int, bytes], int]:
    """The properties at this place, the last of each identifier, and where they end."""
    length, place = variable(body, begin)
    end, found = place + length, {}
    while place < end:
        identifier, place = variable(body, place)
        size = LENGTHS.get(identifier)
        if identifier == VARIABLE_NUMBER:
            size = variable(body, place)[1] - place
        elif identifier == STRING_PAIR:
            size = 2 + short(body, place)
            size += 2 + short(body, place + size)
        elif size is None:
            size = 2 + short(body, place)
        found[identifier] = body[place : place + size]
        place += size
    return found, end


def published(received: Packet) -> tuple[Message, int | None]:
    """The message of a PUBLISH, and its identifier if it wants an acknowledgement."""
    body = received.body
    place = 2 + short(body, 0)
    topic, identifier = body[2:place].decode(), None
    if received.flags & 6:
        identifier = short(body, place)
        place += 2
    found, place = properties(body, place)
    expiry = int.from_bytes(found[MESSAGE_EXPIRY]) if MESSAGE_EXPIRY in found else None
    return Message(topic, body[place:], bool(received.flags & 1), expiry), identifier


def reason(received: Packet, place: int) -> int:
    """The reason code at this place of the body; 0, success, where it is left out."""
    return received.body[place] if len(received.body) > place else 0


def short(body: bytes, place: int) -> int:
    return int.from_bytes(body[place : place + 2])


def variable(data: bytes | bytearray, place: int) -> tuple[int, int]:
    """A variable byte integer, and where it ends. IndexError if it is not complete."""
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place


def packets(pending: bytearray) -> Iterator[Packet]:
    """Takes the complete packets from the beginning of what was received."""
    while len(pending) >= 2:
        try:
            length, place = variable(pending, 1)
        except IndexError:
            return
        if len(pending) < place + length:
            return
        complete = Packet(pending[0] >> 4, pending[0] & 15, bytes(pending[place : place + length]))
        del pending[: place + length]
        yield complete
