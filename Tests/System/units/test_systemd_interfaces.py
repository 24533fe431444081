# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The interfaces of systemd's own services: io.systemd.service, io.systemd.Metrics, and where it looks for them."""

import json

import pytest
from documentation import commands
from varlink_client import NOBODY, VarlinkError

LINKS = ["/run/varlink/registry/io.belfry.Lifecycle", "/run/systemd/report/io.belfry.Lifecycle"]


def metrics(client) -> list[dict]:
    return client.collect("io.systemd.Metrics.List")


def test_socket_is_linked_where_systemd_looks(started_on_each):
    for link in LINKS:
        assert started_on_each.host.run("readlink", link).stdout.strip().endswith("/io.belfry.Lifecycle")


def test_varlinkctl_pings_and_reads_metrics_through_the_links(belfry_on_trixie):
    belfry_on_trixie.start()
    run = belfry_on_trixie.host.run
    assert run("varlinkctl", "call", LINKS[0], "io.systemd.service.Ping", "{}").returncode == 0
    lines = run("varlinkctl", "--json=short", "--more", "call", LINKS[1], "io.systemd.Metrics.List", "{}").stdout
    found = [json.loads(line.lstrip("\x1e")) for line in lines.splitlines() if line.strip("\x1e")]
    assert {"name": "io.belfry.Lifecycle.State", "value": "active"} in found


def test_metrics_count_signals_and_refusals(started):
    started.kill("USR1")
    with started.connect(uid=NOBODY) as stranger, pytest.raises(VarlinkError):
        stranger.call("Pause")
    with started.connect() as client:
        by_name = {}
        started.wait_for(
            lambda: "SIGUSR1" in str([m for m in metrics(client) if m["name"].endswith("BySignalTotal")]), "count"
        )
        for metric in metrics(client):
            by_name.setdefault(metric["name"].removeprefix("io.belfry.Lifecycle."), []).append(metric)
    assert by_name["NotificationsBySignalTotal"][0]["fields"] == {"signal": "SIGUSR1"}
    assert by_name["RefusedCallsTotal"][0]["value"] == 1
    assert by_name["Connections"][0]["value"] == 1
    assert {m["object"] for m in by_name["ListenerCallsTotal"]} >= {"logger", "socket", "cacheFlush"}


def test_example_units_write_metrics_for_node_exporter(started):
    units = ["belfry-metrics.timer", "belfry-metrics.service"]
    folder = "/var/lib/prometheus/node-exporter"
    run = started.host.run
    run("mkdir", "-p", folder)
    try:
        for command in commands("belfry-metrics.timer"):
            run("sh", "-ec", command)

        assert run("systemd-analyze", "verify", *units).stderr == ""
        started.wait_for(lambda: run("ls", folder).stdout.split() == ["belfry.prom"], "write the metrics")

        lines = run("cat", f"{folder}/belfry.prom").stdout.splitlines()
        assert 'belfry_state{state="active"} 1' in lines and lines[-1] == "# EOF"
    finally:
        started.host.systemctl("disable", "--now", units[0])
        run("rm", *(f"/etc/systemd/system/{unit}" for unit in units))
        started.host.systemctl("daemon-reload")
