# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Kernel memory for data that a service has sent and no client has read: sock_diag(7)."""

import ctypes
import socket
import struct

NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
DUMP = 0x301
UDIAG_SHOW_NAME = 1
UDIAG_SHOW_RQLEN = 16
UNIX_DIAG_NAME = 0
UNIX_DIAG_RQLEN = 4
DONE = 3
ESTABLISHED = 1


def enter_network(leader: int) -> None:
    """This process enters the network of a host for good."""
    with open(f"/proc/{leader}/ns/net") as network:
        if ctypes.CDLL(None, use_errno=True).setns(network.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), "unable to enter the network of the host")


class SocketMemory:
    """A process enters the network of a host for good, and sees the sockets that clients there have connected to."""

    def __init__(self, leader: int, address: str):
        enter_network(leader)
        self.name = address.encode()
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG)

    def sent_and_unread(self) -> int:
        """Bytes of memory, the kernel's own overhead included."""
        show = UDIAG_SHOW_NAME | UDIAG_SHOW_RQLEN
        request = struct.pack("=BBHIIIII", socket.AF_UNIX, 0, 0, 1 << ESTABLISHED, 0, show, 0xFFFFFFFF, 0xFFFFFFFF)
        header = struct.pack("=IHHII", 16 + len(request), SOCK_DIAG_BY_FAMILY, DUMP, 1, 0)
        self.socket.send(header + request)
        total = 0
        while True:
            answer = self.socket.recv(1 << 18)
            at = 0
            while at < len(answer):
                length, kind = struct.unpack_from("=IH", answer, at)
                if kind == DONE:
                    return total
                total += self._unread(answer[at + 32 : at + length])
                at += (length + 3) & ~3

    def _unread(self, attributes: bytes) -> int:
        """Of one socket, if it is one that a client has connected to."""
        at, unread, ours = 0, 0, False
        while at < len(attributes):
            length, kind = struct.unpack_from("=HH", attributes, at)
            value = attributes[at + 4 : at + length]
            if kind == UNIX_DIAG_NAME:
                ours = value.rstrip(b"\0") == self.name
            elif kind == UNIX_DIAG_RQLEN:
                unread = struct.unpack("=II", value)[1]
            at += (length + 3) & ~3
        return unread if ours else 0
