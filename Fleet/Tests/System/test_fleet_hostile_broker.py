# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A broker that floods or has a name that resolves slowly blocks no belfry-fleetd. HostileBrokerTests.swift has the rest."""

import socket
import time

import pytest
from fleet_host import FLEET_SOCKET, configuration
from fleet_network import ADDRESS
from hostile_broker import HostileBroker, flood
from programs import Stopwatch
from varlink_client import VarlinkClient, VarlinkError

SECONDS = 3
# By how much memory may grow, in KiB.
GROWTH = 16 << 10


def check_for_a_while(host) -> None:
    """The bridge answers all the time, at once, does not grow, and is the same process afterwards."""
    pid, bridge, before = host.bridge.main_pid(), host.bridge.outer_pid(), host.bridge.footprint()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with VarlinkClient(host.host.path(FLEET_SOCKET), timeout=5) as client:
            watch = Stopwatch(bridge)
            with pytest.raises(VarlinkError, match="NoView"):
                client.call("io.belfry.Fleet.List")
            assert watch.seconds < 1
        time.sleep(0.02)
    after = host.bridge.footprint()
    assert host.bridge.main_pid() == pid
    assert after["RssAnon"] < before["RssAnon"] + GROWTH, (before, after)
    assert after["descriptors"] <= before["descriptors"] + 4 and after["threads"] <= before["threads"] + 1, (before, after)


def test_broker_that_floods(fleet):
    h1 = fleet.hosts["h1"]
    broker = HostileBroker(fleet.network, flood)
    try:
        h1.set_fleet(configuration(url=f"mqtt://{ADDRESS}:1883"))
        fleet.operator.wait_for(lambda: broker.clients, "connect")
        check_for_a_while(h1)
        # What it cannot tell is not wrong.
        fleet.operator.wait_for_states(10, h1="stopped")
    finally:
        broker.close()


def test_name_that_resolves_slowly(fleet):
    h1 = fleet.hosts["h1"]
    # A name server that never answers.
    server = fleet.network.call(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)).result(timeout=20)
    server.bind((ADDRESS, 53))
    saved = h1.host.run("cat", "/etc/resolv.conf").stdout
    try:
        h1.host.write("/etc/resolv.conf", f"nameserver {ADDRESS}\noptions timeout:30 attempts:5\n")
        h1.set_fleet(configuration(url="mqtts://slow.example:8883"))
        assert server.recv(4096)
        check_for_a_while(h1)
        # It need not wait for the answer to stop.
        watch = Stopwatch(h1.host.leader)
        h1.host.systemctl("stop", h1.bridge.name)
        assert watch.seconds < 5 and h1.bridge.property("Result") == "success"
    finally:
        server.close()
        h1.host.write("/etc/resolv.conf", saved)
