# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Bad input gets a clear error, and the daemon stays up or refuses to start."""

import pytest
from belfry_service import CONFIGURATION, SERVICE
from varlink_client import NOBODY, VarlinkError


@pytest.mark.parametrize(
    "text, where, what",
    [
        ("[Signals]\nUSR3=org.example.lantern\n", "2:1", "USR3"),
        ("\n[Sockets]\n", "2:2", "Sockets"),
        ("[Cache a]\nPath=/var/lib\n", "2:1", "the cache '/var/lib' holds the service's state directory '/var/lib/belfry'"),
    ],
)
def test_service_refuses_a_broken_configuration_with_exit_78(belfry, text, where, what):
    belfry.configure(text)

    done = belfry.host.systemctl("start", SERVICE, check=False)

    assert done.returncode != 0
    assert belfry.properties("ActiveState", "Result", "ExecMainStatus", "NRestarts") == {
        "ActiveState": "failed",
        "Result": "exit-code",
        "ExecMainStatus": "78",
        "NRestarts": "0",
    }
    messages = belfry.messages()
    assert any(f"{CONFIGURATION}:{where}" in line and what in line for line in messages), messages
    assert not belfry.notifications()


METHODS = {
    **{name: {} for name in ("Pause", "Resume", "Interrupt", "Reload")},
    "Post": {"name": "org.example.lantern"},
    "Hold": {"reason": "x"},
    "Attach": {"listener": "x", "names": []},
}


def test_client_without_permission_may_look_but_not_change(started):
    pid = started.main_pid()
    with started.connect(uid=NOBODY) as client:
        for method, parameters in METHODS.items():
            client.send(method, parameters, more=method in ("Hold", "Attach"))
            with pytest.raises(VarlinkError, match="org.varlink.service.PermissionDenied"):
                client.reply()
        assert client.call("GetState")["state"] == "active"

    assert started.main_pid() == pid
