# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`journalctl -x` explains each record of belfry-fleetd."""

from belfry_service import SERVICE
from fleet_host import configuration
from fleet_spy import FleetSpy
from message_catalog import catalog, check_records

# The fields that only records about commands have.
COMMAND = {"COMMAND", "OUTCOME", "SENDER"}
ROLLING = ["--rolling", "1", "--hosts", "h1", "--healthy", "1ms", "--timeout", "10s"]


def test_every_record_of_the_bridges_has_the_fields_that_its_explanation_names(fleet):
    h1, operator = fleet.hosts["h1"], fleet.operator
    operator.fleet("reload", *ROLLING)
    operator.fleet("post", "com.example.forbidden", "--hosts", "h1", check=False)
    operator.host.run("setpriv", "--reuid=nobody", "--clear-groups", "belfry-fleet", "cancel", check=False)
    spy = FleetSpy(fleet.broker)
    spy.publish("h1/command/operator", b"no command")
    spy.close()
    h1.bridge.wait_for(lambda: any("is no command" in message for message in h1.bridge.messages()), "ignore it")
    h1.host.systemctl("restart", SERVICE)
    # The broker does not let it speak for another host.
    h1.set_fleet(configuration(more="Host=h9"))
    h1.bridge.wait_for(lambda: any("refused a message" in message for message in h1.bridge.messages()), "be refused")

    records = [record for host in fleet.machines.values() for record in host.journal("--identifier=belfry-fleetd")]
    entries = catalog(operator.host)
    check_records(records, entries)
    assert {i for i, fields in entries.items() if fields & COMMAND} <= {record["MESSAGE_ID"] for record in records}
