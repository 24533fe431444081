# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A fleet that is set up with the commands of Fleet/docs/fleet.md, whose samples show the real output."""

import shutil
import subprocess
from collections.abc import Iterator

import pytest
from belfry_service import SERVICE
from documentation import sample, script, shape
from fleet_bed import FleetBed, number
from fleet_host import BRIDGE, CREDENTIALS, SETTINGS, VIEW, configuration, set_up
from fleet_network import ADDRESS, address
from host_roots import PROJECT
from mqtt_client import BROKER

# The machines of the bed by the names of the page. The broker needs this machine's mosquitto.
MACHINES = {BROKER: "h3", "web1": "h1", "web2": "h2", "operator": "operator"}
FILES = "/run/fleet"
NAMES = "/etc/hosts"
# What is on the disk of the broker afterwards.
BROKER_FILES = ["belfry.acl", "conf.d/belfry.conf", "certs/belfry-ca.pem", "certs/broker.pem", "certs/broker.key"]


class SetUpFleet:
    """The machines by the names of the page. All have the files that the page makes."""

    def __init__(self, bed: FleetBed):
        self.bed = bed
        self.machines = {name: bed.machines[machine] for name, machine in MACHINES.items()}
        self.operator = self.machines["operator"]

    def run(self, name: str, commands: str) -> None:
        self.machines[name].run("sh", "-ec", f"cd {FILES}\n{commands}")

    def output(self, command: str) -> list[str]:
        """What a command of the operator prints."""
        done = self.operator.run("sh", "-c", command, check=False)
        return (done.stdout + done.stderr).splitlines()


@pytest.fixture
def fleet_of_the_page(fleet, tmp_path) -> Iterator[SetUpFleet]:
    made = SetUpFleet(fleet)
    bridges = [fleet.hosts["h1"].bridge, fleet.hosts["h2"].bridge, fleet.hosts["h3"].bridge, fleet.operator]
    names = {host.name: host.path(NAMES).read_text() for host in fleet.machines.values()}
    try:
        for bridge in bridges:
            bridge.host.systemctl("stop", BRIDGE)
            bridge.host.run("rm", "-r", f"/{CREDENTIALS}", f"/{SETTINGS}")
            bridge.host.write(NAMES, names[bridge.host.name].replace(f"{ADDRESS} ", f"{address(number(MACHINES[BROKER]))} "))
        # The package of belfryd starts it.
        made.operator.systemctl("start", SERVICE)
        set_up_as_printed(made, tmp_path)
        yield made
    finally:
        broker = made.machines[BROKER]
        broker.systemctl("stop", "mosquitto", check=False)
        broker.run("rm", "-f", *[f"/etc/mosquitto/{file}" for file in BROKER_FILES])
        for bridge in bridges:
            host = bridge.host
            host.systemctl("disable", "--now", BRIDGE)
            host.run("rm", "-rf", f"/{CREDENTIALS}", FILES)
            host.write(NAMES, names[host.name])
            set_up(host, fleet.broker, VIEW if bridge is fleet.operator else configuration())
        made.operator.systemctl("stop", SERVICE)
        made.operator.systemctl("start", BRIDGE)


def set_up_as_printed(made: SetUpFleet, folder) -> None:
    subprocess.run(["sh", "-ec", script("openssl req -x509")], cwd=folder, check=True, capture_output=True)
    for file in (PROJECT / "Fleet/config/mosquitto").iterdir():
        shutil.copy(file, folder)
    for host in made.machines.values():
        shutil.copytree(folder, host.path(FILES))
    made.run(BROKER, script("systemctl restart mosquitto").replace("apt install mosquitto\n", ""))
    host = script("install -m 600 web1.pem")
    made.run("web1", host)
    made.run("web2", host.replace("web1", "web2"))
    made.run("operator", script("install -m 600 operator.pem"))


def shapes(lines: list[str]) -> list[list[str]]:
    """The words of each line."""
    return [shape(line).split() for line in lines]


def test_fleet_is_set_up_and_controlled_as_printed(fleet_of_the_page):
    fleet = fleet_of_the_page
    bed, operator = fleet.bed, fleet.bed.operator
    web1, web2 = bed.hosts[MACHINES["web1"]], bed.hosts[MACHINES["web2"]]
    [listing], printed = sample("belfry-fleet list")
    operator.wait_for(lambda: shapes(fleet.output(listing)) == shapes(printed), f"print {printed}")

    [watch], printed = sample("belfry-fleet watch")
    with fleet.operator.running("sh", "-c", f"exec {watch}") as watching:
        lines = [watching.stdout.readline() for _ in range(2)]
        operator.fleet("pause", "--hosts", "web1")
        lines += [watching.stdout.readline() for _ in range(4)]
    assert shapes(lines) == shapes(printed)
    operator.fleet("resume", "--hosts", "web1")

    [history], _ = sample("belfry-fleet history")
    assert any("web2" in line for line in fleet.output(history.replace("--after 40", "--after 0")))

    (post, reload), printed = sample("belfry-fleet post flushRequested")
    with web2.hanging():
        # Which of the two machines sees first that the time is up depends on chance.
        first, second = shapes(fleet.output(post))
        assert first == shapes(printed)[0] and second[:2] in (["web2", "unknown,"], ["web2", "timeout,"])
    web2.host.write("/etc/belfry/belfry.conf.d/local.conf", "\n\n\n[Lisener]\n")
    try:
        assert sorted(shapes(fleet.output(reload))) == sorted(shapes(printed[2:]))
    finally:
        web2.host.run("rm", "/etc/belfry/belfry.conf.d/local.conf")

    [roll], printed = sample("belfry-fleet reload --rolling")
    assert fleet.output(roll.replace("30s", "1s")) == printed

    [roll], printed = sample("belfry-fleet pause --rolling")
    with fleet.operator.running("sh", "-c", f"exec {roll} 2>&1") as rolling:
        lines = [rolling.stdout.readline().rstrip("\n") for _ in range(2)]
        web2.host.systemctl("stop", BRIDGE)
        lines += rolling.communicate(timeout=60)[0].splitlines()
    assert lines == printed
    assert web1.status()["state"] == "active"
    operator.fleet("cancel")
