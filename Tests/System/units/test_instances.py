# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Several instances of belfryd on one host."""

import json

import pytest
from belfry_instance import BelfryInstance
from belfry_service import ADDRESS, SERVICE
from documentation import code_block


@pytest.fixture
def instances(started_on_each):
    """Two instances beside the service. Each has an action of its own for SIGRTMIN+5."""
    found = [BelfryInstance(started_on_each.host, name) for name in ("video", "audio-1.b_c")]
    try:
        for name, instance in zip(("video", "audio"), found):
            instance.configure(f"[Signals]\nRTMIN+5=org.example.{name}\n")
            instance.start()
        yield found
    finally:
        for instance in found:
            instance.remove()


def listed(belfry, *options: str) -> dict[str, dict]:
    services = json.loads(belfry.host.run("belfryctl", "list", "--json", *options).stdout)["services"]
    return {service["service"]: service for service in services}


def names(instance) -> list[str]:
    return [record["BELFRY_NOTIFICATION"] for record in instance.notifications()]


def test_each_instance_has_its_own_configuration_state_and_journal(started_on_each, instances):
    video, audio = instances

    for service in (video, audio):
        service.kill("RTMIN+5")
    video.ctl("pause")
    video.wait_for(lambda: "didEnterBackground" in names(video), "pause")
    audio.wait_for(lambda: "org.example.audio" in names(audio), "post")

    assert [service.status()["state"] for service in (started_on_each, video, audio)] == ["active", "background", "active"]
    assert "org.example.video" in names(video) and "org.example.video" not in names(audio) + names(started_on_each)
    assert {r["SYSLOG_IDENTIFIER"] for r in video.notifications()} == {"belfryd@video"}
    history = video.ctl("history", "--json", "-n", "3").stdout.splitlines()
    last = [json.loads(line)["notification"]["name"] for line in history]
    assert last == ["org.example.video", "willResignActive", "didEnterBackground"]
    history = started_on_each.ctl("history").stdout
    assert "org.example.video" not in history and "org.example.audio" not in history
    for service, directory in ((started_on_each, "belfry"), (video, "belfry@video"), (audio, "belfry@audio-1.b_c")):
        assert service.host.path(f"/run/{directory}/sequence").exists()
        assert service.host.path(f"/var/lib/{directory}").is_dir() and service.host.path(f"/var/cache/{directory}").is_dir()


def test_list_shows_all_services_that_answer(started_on_each, instances):
    everything = [started_on_each, *instances]
    instances[0].ctl("pause")

    services = listed(started_on_each)

    assert list(services) == ["belfryd", "belfryd@audio-1.b_c", "belfryd@video"]
    assert services["belfryd"]["socket"] == ADDRESS
    assert services["belfryd@video"]["socket"] == "/run/belfry@video/io.belfry.Lifecycle"
    assert services["belfryd@video"]["state"] == "background"
    assert {service["pid"] for service in services.values()} == {service.main_pid() for service in everything}
    lines = started_on_each.host.run("belfryctl", "list").stdout.splitlines()
    headings = ["NAME", "STATE", "HEALTH", "VERSION", "PID", "APPLICATION", "SOCKET"]
    assert lines[0].split() == headings and len(lines) == 4


def test_stop_of_an_instance_leaves_the_others_alone(started_on_each, instances):
    video, audio = instances
    before = started_on_each.main_pid(), audio.main_pid()

    video.host.systemctl("stop", video.name)

    assert set(listed(started_on_each)) == {"belfryd", "belfryd@audio-1.b_c"}
    assert video.property("ActiveState") == "inactive"
    assert (started_on_each.main_pid(), audio.main_pid()) == before
    started_on_each.host.systemctl("stop", SERVICE)
    assert audio.property("ActiveState") == "active"
    # Nobody who asked has started it again.
    assert video.property("ActiveState") == "inactive"


def test_reload_and_check_use_the_configuration_of_the_instance(instances):
    [video, _] = instances
    check = ["belfryd", "--check-config", "--instance", "video"]
    video.configure("[Signals]\nTREM=org.example.other\n")
    assert "TREM" in video.host.run(*check, check=False).stderr

    video.configure("[Cache thumbnails]\nPath=/var/cache/belfry@video\n[Signals]\nRTMIN+5=org.example.other\n")
    assert video.host.run(*check).stderr == ""
    video.host.systemctl("reload", video.name)
    video.kill("RTMIN+5")
    video.wait_for(lambda: "org.example.other" in names(video), "post")

    video.configure("[Signals]\nRTMIN+5=\n[Oops]\n")
    assert video.host.systemctl("reload", video.name, check=False).returncode != 0


def test_sample_of_the_documentation_makes_an_instance(started_on_each):
    commands = [line[2:] for line in code_block("console", "instances/video").splitlines()]
    video = BelfryInstance(started_on_each.host, "video")
    try:
        shown = started_on_each.host.run("sh", "-ec", "\n".join(commands)).stdout
        assert "belfryd@video 0.1.0 is active since" in shown and "\nbelfryd@video  active" in shown
        video.kill("USR2")
        video.wait_for(lambda: "com.example.rotate" in names(video), "post")
        assert video.host.systemctl("is-enabled", video.name).stdout == "enabled\n"
    finally:
        video.host.systemctl("disable", video.name)
        video.remove()


@pytest.mark.parametrize("name", ["..", "../belfry", "a:b", "a b", "a\n", r"a\x2d", ""])
def test_name_that_is_no_instance_is_refused(started, name):
    for command in (["belfryctl", "-i", name, "status"], ["belfryd", "--instance", name]):
        assert started.host.run(*command, check=False).returncode == 64


def test_unit_with_a_name_that_is_no_instance_fails_at_once(belfry):
    for name in ("..", "a:b"):
        unit = f"belfryd@{name}.service"
        belfry.host.systemctl("start", unit, check=False)
        belfry.wait_for(lambda: belfry.host.properties(unit, "ActiveState")["ActiveState"] == "failed", "fail")
        assert belfry.host.properties(unit, "ExecMainStatus", "NRestarts") == {"ExecMainStatus": "64", "NRestarts": "0"}
        belfry.host.systemctl("reset-failed", unit, check=False)
