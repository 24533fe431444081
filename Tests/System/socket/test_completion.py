# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What the shells complete in a command line of belfryctl."""

import pytest
from belfry_service import ADDRESS, SERVICE
from dancer import dancer
from typed_shell import SET_UP, TypedShell


@pytest.mark.parametrize("shell", SET_UP)
def test_tab_completes_commands_options_and_names(started, shell):
    with dancer(started, "org.example.mine"), TypedShell(started.host, shell) as typed:
        for keys, words in {
            "at\t": ["attach"],
            "list --js\t": ["list", "--json"],
            "flush --js\t": ["flush", "--json"],
            "post org.\t": ["post", "org.example.mine"],
            f"watch --socket={ADDRESS} --on org.\t": ["watch", f"--socket={ADDRESS}", "--on", "org.example.mine"],
            "attach lamp --on org.\t --follows danc\t": ["attach", "lamp", "--on", "org.example.mine", "--follows", "dancer"],
            "-i redi\t flush --js\t": ["-i", "redis", "flush", "--json"],
            "status --instance redi\t": ["status", "--instance", "redis"],
            "check ngin\t": ["check", "nginx"],
            "pause redi\t": ["pause", "redis"],
        }.items():
            assert typed.command(f"belfryctl {keys}") == words


def test_completion_does_not_start_a_stopped_service(started):
    started.host.systemctl("stop", SERVICE)
    question = ["---completion", "post", "--", "positional@0", "1", "0", "belfryctl", "post", ""]
    offered = started.host.run("env", "SAP_SHELL=bash", "belfryctl", *question).stdout.split()
    assert {"didReceiveNotification", "flushRequested", "performFetch", "statusRequested"} <= set(offered)
    assert started.property("ActiveState") == "inactive"
