# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Bad input gets a clear error, and the daemon stays up or refuses to start."""

import pytest
from belfry_service import ADDRESS, CONFIGURATION, SERVICE
from users import ITSELF, MEMBER, STRANGER
from varlink_client import NOBODY, VarlinkError


def assert_up(belfry, pid: int) -> None:
    assert belfry.main_pid() == pid
    assert belfry.status()["state"] == "active"


@pytest.mark.parametrize(
    "text, where, what",
    [
        ("[Signals]\nUSR3=org.example.lantern\n", "2:1", "USR3"),
        ("[Signals]\nUSR1=9lives\n", "2:6", "9lives"),
        ("[Signals]\nKILL=stop\n", "2:1", "KILL"),
        ("[Socket]\nModus=0666\n", "2:1", "Modus"),
        ("\n[Sockets]\n", "2:2", "Sockets"),
        ("[Service]\nListenerTimeout=12.34.56\n", "2:22", "unknown unit of time '.56'"),
        ("[Cache a]\nPath=/\n", "2:6", "expected a directory below '/'"),
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


def test_all_errors_are_reported_at_once_with_the_nearest_name(belfry):
    belfry.configure("[Signals]\nUSR3=x\nTERN=stop\n[Servce]\n")

    done = belfry.host.run("belfryd", "--check-config", check=False)

    assert done.returncode == 78
    places = [line for line in done.stderr.splitlines() if line.startswith(CONFIGURATION)]
    assert [line.split(":")[1] for line in places] == ["2", "3", "4"]
    assert "TERM" in places[1] and "Service" in places[2]


def test_mount_point_or_link_to_the_state_directory_is_refused_as_a_cache(belfry):
    belfry.host.run("ln", "-sfn", "/var/lib", "/srv/link")
    belfry.configure("[Cache a]\nPath=/dev/shm\n[Cache b]\nPath=/srv/link/belfry\n")

    done = belfry.host.run("belfryd", "--check-config", check=False)
    belfry.host.run("rm", "/srv/link")

    assert done.returncode == 78
    assert done.stderr.splitlines() == [
        f"{CONFIGURATION}:2:1: error: the cache '/dev/shm' is a mount point, name a directory below it",
        f"{CONFIGURATION}:4:1: error: the cache '/srv/link/belfry' is the service's state directory "
        "'/var/lib/belfry', name a directory that holds nothing but the cache",
    ]


def test_wrong_arguments_exit_64(belfry):
    assert belfry.host.run("belfryd", "--no-such-option", check=False).returncode == 64
    assert belfry.ctl("no-such-command", check=False).returncode == 64


def test_ctl_without_a_service_exits_69(belfry):
    done = belfry.ctl("status", check=False)
    assert done.returncode == 69
    assert done.stderr.startswith("unable to connect") and ADDRESS in done.stderr


def test_second_daemon_on_a_taken_socket_is_refused_and_the_first_stays(started):
    pid = started.main_pid()

    done = started.host.run("belfryd", "--config", "/dev/null", "--socket", ADDRESS, check=False, timeout=20)

    assert done.returncode == 71
    assert f"unable to use '{ADDRESS}.lock'" in done.stderr
    assert_up(started, pid)


NO_CALLS = [b"tongs\0", b"{\0", b"\0", b"[]\0", b'{"method":1}\0', b"\xff\xfe\0", b"{" * 100_000 + b"\0"]


@pytest.mark.parametrize("frame", NO_CALLS)
def test_invalid_frame_closes_only_its_connection(started, frame):
    pid = started.main_pid()
    bystander = started.subscribe()
    with started.connect() as client:
        client.send_raw(frame)
        with pytest.raises((EOFError, ConnectionResetError)):
            client.receive()

    started.kill("USR1")
    assert bystander.next()["name"] == "flushRequested"
    assert_up(started, pid)


def test_frame_beyond_the_limit_closes_only_its_connection(started):
    pid = started.main_pid()
    with started.connect() as client:
        with pytest.raises((EOFError, ConnectionResetError, BrokenPipeError)):
            for _ in range(64):
                client.send_raw(b" " * (1 << 16))
            client.receive()
    assert_up(started, pid)


def test_unknown_method_and_wrong_parameter_get_their_errors(started):
    with started.connect() as client:
        with pytest.raises(VarlinkError, match="org.varlink.service.MethodNotFound"):
            client.call("RingTheBell")
        with pytest.raises(VarlinkError, match="org.varlink.service.InterfaceNotFound"):
            client.call("org.example.Bell.Ring")
        with pytest.raises(VarlinkError, match="org.varlink.service.InvalidParameter"):
            client.call("Post", {"name": 7})
        with pytest.raises(VarlinkError, match="org.varlink.service.ExpectedMore"):
            client.call("Subscribe")
        assert client.call("GetState")["state"] == "active"


@pytest.mark.parametrize(
    "method, parameters",
    [("Post", {"name": "org.example.lantern"}), ("Pause", {}), ("Resume", {}), ("Interrupt", {}), ("Reload", {})],
)
def test_client_without_permission_may_look_but_not_change(started, method, parameters):
    pid = started.main_pid()
    bystander = started.subscribe()
    with started.connect(uid=NOBODY) as client:
        with pytest.raises(VarlinkError) as refusal:
            client.call(method, parameters)
        assert refusal.value.name == "org.varlink.service.PermissionDenied"
        assert client.call("GetState")["state"] == "active"

    started.kill("USR1")
    assert bystander.next()["name"] == "flushRequested"
    assert_up(started, pid)


def test_ctl_reports_that_permission_is_denied(started):
    done = started.host.run(*STRANGER, "belfryctl", "post", "org.example.lantern", check=False)
    assert done.returncode == 77
    assert "unable to" in done.stderr


def test_members_of_the_group_and_the_service_user_may_post(started):
    subscriber = started.subscribe()
    for number, who in enumerate((MEMBER, ITSELF)):
        started.host.run(*who, "belfryctl", "post", f"org.example.knock{number}")
        assert subscriber.next()["name"] == f"org.example.knock{number}"
