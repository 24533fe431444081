# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Console samples show the real output, and files are accepted."""

import json
import re

import pytest
from documentation import BLOCK, PAGES, PROJECT, code_block, commands, sample, shape

# The files that pages show, with their text: configurations, applications and drop-ins of Belfry's units.
FILE = re.compile(r"# (/etc/(?:\w+/\w+\.conf\.d|belfry/applications(?:/\w+\.conf\.d)?|systemd/system/belfry\S+\.d)/[\w-]+\.conf)\b")
FILES = [
    (found[1], text, f"{page.relative_to(PROJECT)}: {found[1]}")
    for page in PAGES
    for language, text in BLOCK.findall(page.read_text())
    # The worker of the comparison has tests of its own.
    if page.stem != "compare" and language == "ini" and (found := FILE.match(text))
]


def shown(lines: list[str], first: str) -> list[str]:
    """The first line that begins with this, and the next line."""
    start = next(index for index, line in enumerate(lines) if line.strip().startswith(first))
    return [shape(line) for line in lines[start : start + 2]]


def test_sample_of_the_journal_shows_its_real_output(started_on_each):
    belfry = started_on_each
    (fill, flush, journal, rest), printed = sample("journalctl -t belfryd -o cat -n 3")
    cached = belfry.host.path("/var/cache/belfry/frames/1")

    belfry.host.run("sh", "-c", fill)
    assert cached.exists()
    belfry.host.run("sh", "-c", flush)
    belfry.wait_for(lambda: any("flushRequested took" in message for message in belfry.messages()), "flush the cache")
    assert not cached.exists()
    belfry.host.run("journalctl", "--sync")

    lines = belfry.host.run("sh", "-c", journal).stdout.splitlines()
    # Which listeners took a millisecond varies.
    assert [shape(line).partition(" took ")[0] for line in lines] == [shape(line).partition(" took ")[0] for line in printed]
    assert "didBecomeActive" in belfry.host.run("sh", "-ec", rest).stdout


def test_sample_of_the_status_shows_its_real_output_after_a_crash_and_after_a_stop(started_on_each):
    belfry = started_on_each
    pid = belfry.main_pid()
    (kill, stop), printed = sample("sleep 1; belfryctl status")
    after_stop = printed[printed.index("…") + 1 :]

    belfry.host.run("sh", "-c", kill.split(";")[0])
    belfry.wait_for_another(pid)
    crashed = belfry.ctl("status").stdout.splitlines()
    belfry.host.run("sh", "-c", stop.split(";")[0])
    stopped = belfry.ctl("status").stdout.splitlines()

    end = printed.index("…")
    assert [shape(line) for line in crashed[:end]] == [shape(line) for line in printed[:end]]
    for heading in ("Last word: ", "Health: "):
        assert shown(stopped, heading)[0] == shown(after_stop, heading)[0]
    assert shown(stopped, "Launch: ")[0] == shown(after_stop, "Launch: ")[0]
    slowest, slowest_shown = shown(stopped, "Details: ")[0], shown(after_stop, "Details: ")[0]
    # The order of the listeners varies.
    assert sorted(slowest.replace(",", "").split()) == sorted(slowest_shown.replace(",", "").split())


def test_sample_of_a_pause_that_outlives_the_process_shows_its_real_output(started_on_each):
    [command], printed = sample("belfryctl pause; systemctl restart")

    lines = started_on_each.host.run("sh", "-c", command).stdout.splitlines()

    assert [shape(line) for line in lines[:2]] == [shape(line) for line in printed[:2]]
    for heading in ("Last word: ", "Launch: "):
        assert shown(lines, heading)[0] == shown([*printed, ""], heading)[0]


def test_commands_of_first_aid_change_nothing(started_on_each):
    belfry = started_on_each
    before = belfry.status()

    shown = [belfry.host.run("sh", "-c", command).stdout for command in commands("history -n 20 --records")]

    assert shown[0] == "" and "active (running)" in shown[1] and "is active since" in shown[2] and "didBecomeActive" in shown[5]
    assert belfry.status()["sequence"] == before["sequence"]


def test_commands_of_the_journal_find_records(started):
    started.host.systemctl("restart", started.name)
    started.wait_until_logged()

    for command in commands("BELFRY_NOTIFICATION=willTerminate"):
        assert "belfryd" in started.host.run("sh", "-c", command).stdout


def test_examples_of_the_manual_post_and_find_a_notification(started):
    post, history = commands("org.example.doorbell door")

    assert started.host.run("sh", "-c", post).stdout.endswith(" done\n  no listener handles it\n")

    found = json.loads(started.host.run("sh", "-c", history).stdout)["notification"]
    assert found["userInfo"] == {"door": "front", "rings": [1, 2]}


def test_probe_of_a_container_succeeds(started):
    command = json.loads(code_block("dockerfile", "HEALTHCHECK").partition("CMD ")[2])

    assert started.host.run(*command).stdout == "active\n"


def test_program_is_attached_from_a_shell(started):
    [command] = commands("belfryctl attach lamp")

    with started.host.running("sh", "-c", f"exec {command}"):
        started.wait_for(lambda: "lamp" in [listener["name"] for listener in started.listeners()], "have it attached")
        started.ctl("pause")

    assert started.host.path("/run/lamp").read_text() == "background\n"


def test_commands_of_varlinkctl_describe_and_subscribe(belfry_on_trixie):
    belfry_on_trixie.start()
    run = belfry_on_trixie.host.run
    [introspect] = commands("varlinkctl introspect")
    [subscribe] = commands("varlinkctl -jE call")

    assert "method Subscribe" in run("sh", "-c", introspect).stdout
    with belfry_on_trixie.host.running("sh", "-c", f"{subscribe} >/run/subscription"):
        printed = belfry_on_trixie.host.path("/run/subscription")
        belfry_on_trixie.wait_for(lambda: printed.exists() and "state" in printed.read_text(), "reply")
        belfry_on_trixie.ctl("pause")
        belfry_on_trixie.wait_for(lambda: "didEnterBackground" in printed.read_text(), "notify")


def test_the_tour_shows_real_output(belfry_on_trixie):
    host = belfry_on_trixie.host
    try:
        for text in re.findall(r"^```console\n(.*?)^```$", (PROJECT / "docs/tour.md").read_text(), re.MULTILINE | re.DOTALL):
            lines = text.splitlines()
            commands = [line[2:] for line in lines if line[:2] in ("$ ", "# ")]
            done = host.run("sh", "-c", "{ " + "\n".join(commands) + "\n} 2>&1").stdout.splitlines()
            # The page leaves out what nginx writes in front of its message.
            done = [re.sub(r"^(nginx: CheckReload=:) \S+ \S+ \[emerg\] \S+ ", r"\1 ", line) for line in done]
            assert [shape(line) for line in done] == [shape(line) for line in lines if line[:2] not in ("$ ", "# ")]
    finally:
        host.run("sh", "-c", "belfryctl disable redis; belfryctl disable nginx; systemctl stop nginx redis-server", check=False)


@pytest.mark.parametrize("path, text, name", FILES, ids=[name for *_, name in FILES])
def test_a_file_that_a_page_shows_is_accepted(on_each, path, text, name):
    folder, _, file = path.rpartition("/")
    if "/system/" in path:
        check = ["systemd-analyze", "verify", folder.rpartition("/")[2].removesuffix(".d")]
    elif "/applications" in path:
        check = ["belfryctl", "check", (file if folder.endswith("applications") else folder.rpartition("/")[2]).partition(".")[0]]
    else:
        check = ["belfryd", "--check-config", "--config", path]
    on_each.host.write(path, text)
    try:
        done = on_each.host.run(*check, check=False)
        # The unit of an example is not on this host.
        told = [line for line in done.stderr.splitlines() if not line.endswith("cannot start, LoadState=not-found")]
        assert (done.returncode, told) == (0, [])
    finally:
        on_each.host.run("rm", path)
