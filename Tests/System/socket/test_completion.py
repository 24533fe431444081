# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What the shells complete in a command line of belfryctl."""

import pytest
from belfry_service import ADDRESS, SERVICE
from completion import TAB, tab
from dancer import dancer
from typed_shell import SET_UP, TypedShell


@pytest.mark.parametrize("shell", SET_UP)
def test_tab_completes_commands_options_and_names(started, shell):
    started.host.run("mkdir", "-p", "/etc/belfry/instances/video")
    with dancer(started, "org.example.mine"), TypedShell(started.host, shell) as typed:
        for keys, words in {
            "at\t": ["attach"],
            "list --js\t": ["list", "--json"],
            "flush --js\t": ["flush", "--json"],
            "explain TER\t": ["explain", "TERM"],
            "post org.\t": ["post", "org.example.mine"],
            "simulate didR\t": ["simulate", "didReceiveMemoryWarning"],
            "perform d\t": ["perform", "dance"],
            "attach lamp --on org.\t --follows danc\t": ["attach", "lamp", "--on", "org.example.mine", "--follows", "dancer"],
            "-i vid\t explain HU\t": ["-i", "video", "explain", "HUP"],
            "status --instance vid\t": ["status", "--instance", "video"],
        }.items():
            assert typed.command(f"belfryctl {keys}") == words


def complete(belfry, *words: str) -> list[str]:
    """The completions for the word after these."""
    question = ["---completion", words[0], "--", "positional@0"]
    command = ["belfryctl", *question, str(len(words)), "0", "belfryctl", *words, ""]
    return belfry.host.run("env", "SAP_SHELL=bash", *command).stdout.split()


def test_names_of_the_running_service_are_completed(started):
    with dancer(started, "org.example.mine"):
        own = {"didReceiveNotification", "flushRequested", "performFetch", "statusRequested"}
        assert set(complete(started, "post")) == {"org.example.mine", *own}
        assert complete(started, "perform") == ["dance"]


def test_installed_script_completes_names_of_the_running_service(started_on_each):
    with dancer(started_on_each, "org.example.mine", "org.example.yours"):
        assert tab(started_on_each, "org.example.m", "post") == ["org.example.mine"]
        assert tab(started_on_each, "org", "watch", "--json") == ["org.example.mine", "org.example.yours"]
        assert tab(started_on_each, "", "perform") == ["dance"]
        for words in (["--socket", "=", ADDRESS], [f"--socket={ADDRESS}"]):
            elsewhere = ["env", "BELFRY_SOCKET=/none", "bash", "-c", TAB, "bash", "org", "watch", *words]
            assert started_on_each.host.run(*elsewhere).stdout.split() == ["org.example.mine", "org.example.yours"]
    assert tab(started_on_each, "org", "post") == []
    assert "post" in tab(started_on_each, "p")


def test_completion_does_not_start_a_stopped_service(started):
    started.host.systemctl("stop", SERVICE)
    assert "flushRequested" in complete(started, "post")
    assert started.property("ActiveState") == "inactive"
