# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Three hosts and an operator on a real broker: births, notifications and commands."""

import contextlib
import json
import time
import uuid

import pytest
from fleet_bed import HOSTS
from fleet_host import BRIDGE, RENEWAL, configuration, parsed
from fleet_spy import FleetSpy

WORK = "com.example.work"


@pytest.fixture
def spy(fleet):
    """A client that may do everything, beside the operator's belfry-fleetd."""
    spy = FleetSpy(fleet.broker)
    yield spy
    spy.close()


def command(what: str, seconds: float = 20, **more: object) -> dict:
    """Members that are None are left out."""
    deadline = int((time.time() + seconds) * 1e6)
    given = {key: value for key, value in more.items() if value is not None}
    return {"id": uuid.uuid4().hex, "command": what, "deadlineUsec": deadline, **given}


def post(name: str = WORK, seconds: float = 20, **more) -> dict:
    return command("post", seconds, name=name, **more)


def test_each_host_is_born_and_renews_its_state(fleet, spy):
    for name in HOSTS:
        born = spy.wait_for_state(name, "active")
        local = fleet.hosts[name].status()
        assert born["sequence"] == local["sequence"] and born["version"] == local["version"]
        spy.wait_for(lambda: spy.state(name)["timeUsec"] > born["timeUsec"], f"see {name} renew", 3 * RENEWAL)
        renewed = spy.state(name)
        assert renewed["session"] == born["session"] and renewed["sinceUsec"] == born["sinceUsec"]
        assert renewed["validUntilUsec"] - renewed["timeUsec"] == 3 * RENEWAL * 1_000_000


def test_notifications_and_states_of_a_host_reach_broker_view_and_watch(fleet, spy):
    h1 = fleet.hosts["h1"]
    local = h1.subscribe()
    with fleet.operator.running_fleet("watch", "--hosts", "h1", "--json") as watch:
        first = json.loads(watch.stdout.readline())
        h1.ctl("pause")
        fleet.operator.wait_for_states(2, h1="background")
        h1.ctl("resume")
        fleet.operator.wait_for_states(2, h1="active")
        seen = local.until("didBecomeActive")
        lines = [first]
        while "didBecomeActive" not in [line.get("notification", {}).get("name") for line in lines]:
            lines.append(json.loads(watch.stdout.readline()))

    watched = [line["notification"] for line in lines if "notification" in line]
    spy.wait_for(lambda: len(spy.notifications("h1")) >= len(seen), "see the notifications")
    assert spy.notifications("h1") == seen
    assert [n["sequence"] for n in watched] == [n["sequence"] for n in seen]


def test_planned_stop_is_no_death(fleet, spy):
    h2 = fleet.hosts["h2"]
    h2.host.systemctl("stop", BRIDGE)
    stopped = spy.wait_for_state("h2", "stopped")
    assert "validUntilUsec" not in stopped
    fleet.operator.wait_for_states(2, h2="stopped")
    h2.host.systemctl("start", BRIDGE)
    fleet.operator.wait_for_states(10, h2="active")
    # The broker publishes a will before it accepts the same client again.
    assert "dead" not in [one.content.get("state") for one in spy.seen if one.host == "h2"]


@pytest.mark.parametrize("content", [{"state": "dead"}, b""])
def test_host_whose_state_somebody_overwrites_publishes_it_again(fleet, spy, content):
    # So that no renewal does the same.
    fleet.hosts["h3"].set_fleet(configuration(renewal=60))
    spy.wait_for(lambda: spy.state("h3").get("validUntilUsec", 0) > (time.time() + 100) * 1e6, "see it renew seldom")
    session = spy.state("h3")["session"]
    count = len(spy.seen)
    spy.publish("h3/state", content | {"session": session} if content else b"", retained=True)
    spy.wait_for(lambda: any(one.content.get("state") != "active" for one in spy.seen[count:]), "see the false state")
    spy.wait_for_state("h3", "active", 5)
    fleet.operator.wait_for_states(2, h3="active")


def test_post_reports_each_host_and_names_the_one_that_hangs(fleet):
    with fleet.hosts["h2"].hanging():
        done = fleet.operator.fleet("post", WORK, "--hosts", "h?", "--wait", "--timeout", "3s", check=False)
    lines = {line.split()[0].rstrip(":"): line for line in (done.stdout + done.stderr).splitlines() if line.startswith("h")}
    assert done.returncode != 0 and set(lines) == set(HOSTS), done
    assert "done" in lines["h1"] and "done" in lines["h3"]
    # The host says it itself if its answer at the deadline is in time.
    assert "timeout" in lines["h2"] or "has not answered before the deadline" in lines["h2"]
    for name in ("h1", "h3"):
        assert len(fleet.hosts[name].posted(WORK)) == 1


def test_pause_resume_and_reload_reach_all_hosts(fleet):
    for verb, state in {"pause": "background", "resume": "active", "reload": "active"}.items():
        done = fleet.operator.fleet(verb, "--hosts", "h?", "--timeout", "20s")
        assert all(name in done.stdout for name in HOSTS), done
        fleet.operator.wait_for_states(2, **dict.fromkeys(HOSTS, state))


@pytest.mark.parametrize(
    "sender, what, name", [("operator", "pause", None), ("operator", "post", "com.example.other"), ("deploy", "post", WORK)]
)
def test_command_that_a_host_does_not_allow_is_refused_there_and_in_its_journal(fleet, spy, sender, what, name):
    h1 = fleet.hosts["h1"]
    h1.set_fleet(configuration(accept=f"post:{WORK}@operator"))
    fleet.operator.wait_for_states(10, h1="active")
    h1.skip_old_records()
    refused = command(what, name=name)
    spy.command("h1", refused, sender)
    (reply,) = spy.wait_for_replies("h1", refused["id"])
    assert reply["outcome"] == "refused" and reply["reason"], reply
    assert h1.status()["state"] == "active" and not h1.posted(WORK) and not h1.posted("com.example.other")
    h1.bridge.wait_for(lambda: any(sender in m and "refus" in m for m in h1.bridge.messages()), "log the refusal")


def test_command_that_a_crash_of_the_bridge_cuts_is_unknown(fleet, spy):
    h1 = fleet.hosts["h1"]
    what = post()
    with h1.hanging():
        spy.command("h1", what)
        h1.wait_for(lambda: what["id"] in "".join(recorded(h1)), "record the command")
        h1.bridge.kill("KILL")
        # The host is dead, and comes again.
        spy.wait_for(lambda: "dead" in [one.content.get("state") for one in spy.seen if one.host == "h1"], "see it end")
        spy.wait_for(lambda: spy.state("h1").get("state") not in ("dead", None), "see it come back")
        spy.command("h1", what)
        *_, reply = spy.wait_for_replies("h1", what["id"])
    assert reply["outcome"] == "unknown", reply
    # What had been sent to the service is done, once.
    h1.wait_until_logged()
    assert len(h1.posted(WORK)) <= 1


def recorded(host) -> list[str]:
    """The contents of the files in the state directory of the bridge, and their names; without a file that is being replaced."""
    folder = host.host.path("/var/lib/belfry-fleet")
    found = []
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):
            found.append(path.name + path.read_text(errors="replace"))
    return found


def test_history_has_the_notifications_of_all_hosts(fleet):
    before = {name: host.sequence() for name, host in fleet.hosts.items()}
    for host in fleet.hosts.values():
        host.post(WORK, 3)
    lines = parsed(fleet.operator.fleet("history", "--hosts", "h?", "--json").stdout)
    for name in HOSTS:
        numbers = [line["notification"]["sequence"] for line in lines if line["host"] == name and line.get("notification")]
        assert numbers == sorted(numbers)
        assert numbers[-3:] == [before[name] + count for count in (1, 2, 3)]


def test_key_of_a_host_is_in_no_record_command_line_or_environment(fleet):
    secret = fleet.broker.certificates.key.read_text().splitlines()[1]
    everything = "journalctl -o json; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ"
    shown = fleet.hosts["h1"].host.run("sh", "-c", everything, check=False).stdout
    assert "/usr/bin/belfry-fleetd" in shown and secret not in shown
