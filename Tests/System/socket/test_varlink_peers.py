# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Foreign Varlink clients: systemd's varlinkctl, the reference implementation for Python, and asyncvarlink."""

import asyncio
import json
import subprocess
import sys

import pytest
import varlink
from asyncvarlink import VarlinkClientProtocol, VarlinkMethodCall, connect_unix_varlink
from belfry_service import ADDRESS
from varlink_client import INTERFACE


@pytest.fixture
def started_on_trixie(belfry_on_trixie):
    belfry_on_trixie.start()
    return belfry_on_trixie


def varlinkctl(belfry, *arguments: str) -> str:
    return belfry.host.run("varlinkctl", *arguments).stdout


def test_varlinkctl_info_lists_the_interfaces(started_on_trixie):
    info = json.loads(varlinkctl(started_on_trixie, "--json=short", "info", ADDRESS))
    assert {"org.varlink.service", INTERFACE} <= set(info["interfaces"])
    assert info["product"] and info["version"] and info["vendor"] and info["url"]


def test_varlinkctl_introspects_every_interface(started_on_trixie):
    for interface in varlinkctl(started_on_trixie, "list-interfaces", ADDRESS).split():
        text = varlinkctl(started_on_trixie, "introspect", ADDRESS, interface)
        assert f"interface {interface}" in text
    assert "method Subscribe" in varlinkctl(started_on_trixie, "introspect", ADDRESS, INTERFACE)


def test_description_of_the_interface_is_valid_for_varlinkctl(started_on_trixie, tmp_path):
    text = varlinkctl(started_on_trixie, "introspect", ADDRESS, INTERFACE)
    done = started_on_trixie.host.run("varlinkctl", "validate-idl", "-", input=text, check=False)
    if "-" in done.stderr and done.returncode != 0:
        started_on_trixie.host.write("/run/belfry.varlink", text)
        done = started_on_trixie.host.run("varlinkctl", "validate-idl", "/run/belfry.varlink", check=False)
    assert done.returncode == 0, done.stderr


def test_varlinkctl_posts_without_a_reply(started_on_trixie):
    belfry = started_on_trixie
    subscriber = belfry.subscribe()
    done = varlinkctl(belfry, "--oneway", "call", ADDRESS, f"{INTERFACE}.Post", '{"name":"org.example.silent"}')
    assert done == ""
    assert subscriber.next()["name"] == "org.example.silent"


@pytest.fixture
def connection(started):
    """The reference client on the daemon's socket."""
    address = f"unix:{started.socket_path()}"
    with varlink.Client.new_with_address(address) as client, client.open(INTERFACE) as open_connection:
        yield open_connection


def test_reference_client_posts_and_subscribes(started, connection):
    address = f"unix:{started.socket_path()}"
    with varlink.Client.new_with_address(address) as client, client.open(INTERFACE) as other:
        replies = other.Subscribe(_more=True)
        assert next(replies)["state"]["state"] == "active"
        posted = connection.Post(name="org.example.lantern")
        notification = next(replies)["notification"]
    assert notification["name"] == "org.example.lantern"
    assert notification["sequence"] == posted["sequence"]


def test_reference_client_command_line_introspects(started):
    command = [sys.executable, "-m", "varlink.cli", "help", f"unix:{started.socket_path()}/{INTERFACE}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "method GetState" in done.stdout, done.stderr


def test_asyncvarlink_reads_posts_and_subscribes(started):
    async def talk():
        path = str(started.socket_path())
        _, watcher = await connect_unix_varlink(VarlinkClientProtocol, path)
        subscription = watcher.call_more(VarlinkMethodCall(f"{INTERFACE}.Subscribe", {}, more=True))
        first, _ = await anext(subscription)
        assert first.parameters["state"]["state"] == "active"

        _, client = await connect_unix_varlink(VarlinkClientProtocol, path)
        state, _ = await client.call(VarlinkMethodCall(f"{INTERFACE}.GetState", {}))
        assert state.parameters["state"] == "active"
        call = VarlinkMethodCall(f"{INTERFACE}.Post", {"name": "org.example.silent"}, oneway=True)
        assert await client.call(call) is None
        posted, _ = await client.call(VarlinkMethodCall(f"{INTERFACE}.Post", {"name": "org.example.lantern"}))

        received = [(await anext(subscription))[0].parameters["notification"] for _ in range(2)]
        assert [n["name"] for n in received] == ["org.example.silent", "org.example.lantern"]
        assert received[1]["sequence"] == posted.parameters["sequence"]
        await subscription.aclose()

    asyncio.run(asyncio.wait_for(talk(), 20))
