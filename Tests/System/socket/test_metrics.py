# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The socket where varlinkctl looks for it, and metrics."""

import time

import pytest
from application import Application
from documentation import commands
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics_families
from prometheus_client.parser import text_string_to_metric_families as prometheus_families
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
        signal = 'belfry_notifications_by_signal_total{service="belfryd",signal="SIGUSR1"} 1'
        started.wait_for(lambda: signal in client.call("GetOpenMetrics")["text"].splitlines(), "count the signal")
        lines = client.call("GetOpenMetrics")["text"].splitlines()
    assert 'belfry_refused_calls_total{service="belfryd"} 1' in lines and 'belfry_connections{service="belfryd"} 1' in lines
    for listener in ("logger", "socket", "cacheFlush"):
        assert any(line.startswith(f'belfry_listener_calls_total{{service="belfryd",listener="{listener}"}} ') for line in lines)


def samples(text: str) -> list[tuple[str, frozenset]]:
    """The names and labels of all samples. node_exporter reads the older format."""
    families = [list(read(text)) for read in (open_metrics_families, prometheus_families)]
    # The parser of the older format gives each sample with a suffix a family of its own.
    assert len({family.name for family in families[0]}) == len(families[0])
    new, old = ([(sample.name, frozenset(sample.labels.items())) for family in found for sample in family.samples] for found in families)
    assert new == old
    return new


def test_example_units_write_metrics_of_all_services_for_node_exporter(started):
    units = ["belfry-metrics.timer", "belfry-metrics.service"]
    folder = "/var/lib/prometheus/node-exporter"
    run = started.host.run
    shops = [Application(started.host, name) for name in ("shop", "store", "till")]
    run("mkdir", "-p", folder)
    try:
        for shop in shops:
            shop.write_unit()
            shop.write()
            shop.begin()
        shops[0].ctl("pause")
        for command in commands("belfry-metrics.timer"):
            run("sh", "-ec", command)

        assert run("systemd-analyze", "verify", *units).stderr == ""
        started.wait_for(lambda: run("ls", folder).stdout.split() == ["belfry.prom"], "write the metrics")

        text = run("cat", f"{folder}/belfry.prom").stdout
        found = samples(text)
        assert len(found) == len(set(found))
        names = {"belfryd", "belfryd@shop", "belfryd@store", "belfryd@till"}
        assert {dict(labels)["service"] for _, labels in found} == names
        lines = text.splitlines()
        assert 'belfry_state{service="belfryd",state="active"} 1' in lines and lines[-1] == "# EOF"
        assert 'belfry_state{service="belfryd@shop",state="background"} 1' in lines
        paused = [line for line in lines if line.startswith("belfry_paused_since_timestamp_seconds{")]
        assert len(paused) == 1 and paused[0].startswith('belfry_paused_since_timestamp_seconds{service="belfryd@shop"} 1')
    finally:
        for shop in shops:
            shop.remove()
        started.host.systemctl("disable", "--now", units[0])
        run("rm", "-rf", folder, *(f"/etc/systemd/system/{unit}" for unit in units))
        started.host.systemctl("daemon-reload")


def test_metrics_of_an_application_say_what_failed_and_what_holds_it(started):
    shop = Application(started.host, Pause="/bin/false", Stop="/bin/false")
    value = lambda name: [float(line.split()[-1]) for line in shop.ctl("metrics").stdout.splitlines() if line.startswith(name)]  # noqa: E731
    failure = 'belfry_last_failure_timestamp_seconds{service="belfryd@shop",key="Pause"}'
    stop, held = 'belfry_last_stop_failed{service="belfryd@shop"}', "belfry_oldest_hold_seconds{"
    failed = 'belfry_failed_commands{service="belfryd@shop"}'
    try:
        shop.write_unit()
        shop.write()
        shop.begin()
        assert (value(failure), value(failed), value(stop), value(held)) == ([], [0], [0], [])
        before = time.time()
        shop.ctl("pause", check=False)
        assert before - 1 < value(failure)[0] < time.time() + 1 and value(failed) == [1]
        with shop.host.running("belfryctl", "-i", "shop", "hold", "--reason", "backup"):
            shop.wait_for(lambda: len(value(held)) == 1, "be held")
            assert 0 <= value(held)[0] < 60
        shop.host.systemctl("restart", "shop.service")
        shop.wait_until_up()
        assert value(stop) == [1]
    finally:
        shop.remove()
