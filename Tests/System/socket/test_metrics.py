# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The socket where varlinkctl looks for it, and metrics."""

import pytest
from documentation import commands
from varlink_client import NOBODY, VarlinkError

LINK = "/run/varlink/registry/io.belfry.Lifecycle"


def test_socket_is_linked_where_systemd_looks(started_on_each):
    assert started_on_each.host.run("readlink", LINK).stdout.strip().endswith("/io.belfry.Lifecycle")


def test_varlinkctl_calls_through_the_link(belfry_on_trixie):
    belfry_on_trixie.start()
    assert belfry_on_trixie.host.run("varlinkctl", "call", LINK, "io.belfry.Lifecycle.GetState", "{}").returncode == 0


def test_metrics_count_signals_and_refusals(started):
    started.kill("USR1")
    with started.connect(uid=NOBODY) as stranger, pytest.raises(VarlinkError):
        stranger.call("Pause")
    with started.connect() as client:
        signal = 'belfry_notifications_by_signal_total{signal="SIGUSR1"} 1'
        started.wait_for(lambda: signal in client.call("GetOpenMetrics")["text"].splitlines(), "count the signal")
        lines = client.call("GetOpenMetrics")["text"].splitlines()
    assert "belfry_refused_calls_total 1" in lines and "belfry_connections 1" in lines
    for listener in ("logger", "socket", "cacheFlush"):
        assert any(line.startswith(f'belfry_listener_calls_total{{listener="{listener}"}} ') for line in lines)


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
