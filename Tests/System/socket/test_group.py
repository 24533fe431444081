# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`Group=` beside a directory server that does not answer. A test double in C is the directory. As long as it is away, whoever
asks it waits: nothing here would go on if the service did."""

import pytest
from name_service_double import NameServiceDouble
from varlink_client import VarlinkError

# A group of the directory.
GROUP = "shop-admins"
# The double knows no user with this number. A client with this user has the group with this number.
NUMBER = 60123
WARNING = (
    f"/etc/belfry/belfry.conf:2:1: warning: there is no group '{GROUP}' in /etc/group; "
    "a group of a directory service is named by its number"
)


@pytest.fixture
def directory(belfry):
    """On systemd 252: journalctl(1) of 257 asks for a group itself, and would wait, too."""
    double = NameServiceDouble(belfry.host, {GROUP: NUMBER})
    yield double
    double.come_back()
    belfry.host.systemctl("stop", belfry.name)
    double.remove()


@pytest.fixture
def local_group(belfry):
    """A group in /etc/group with the same number."""
    file = belfry.host.path("/etc/group")
    before = file.read_text()
    file.write_text(f"{before}shop-local:x:{NUMBER}:\n")
    yield "shop-local"
    file.write_text(before)


def use_group(belfry, group: str) -> None:
    belfry.configure(f"[Socket]\nGroup={group}\n")


def is_privileged(belfry) -> bool:
    """Whether a member of the group may post."""
    with belfry.connect(uid=NUMBER) as client:
        try:
            client.call("Post", {"name": "org.example.knock"})
        except VarlinkError as error:
            assert error.name.endswith(".PermissionDenied")
            return False
        return True


def group_warnings(belfry) -> list[str]:
    belfry.wait_until_logged()
    return [message for message in belfry.messages() if "/etc/group" in message]


def test_start_and_reload_go_on_without_a_group_of_the_directory(directory, belfry):
    use_group(belfry, GROUP)
    directory.go_away()

    belfry.start()
    assert belfry.status()["state"] == "active"
    assert not is_privileged(belfry)
    assert group_warnings(belfry) == [WARNING]
    pid = belfry.main_pid()

    belfry.ctl("reload")
    assert group_warnings(belfry) == [WARNING] * 2
    belfry.host.systemctl("reload", belfry.name)
    assert group_warnings(belfry) == [WARNING] * 3
    assert not is_privileged(belfry)
    assert belfry.main_pid() == pid


def test_name_is_not_looked_up_in_a_directory_that_answers(directory, belfry):
    assert belfry.host.run("getent", "group", GROUP).stdout == f"{GROUP}:x:{NUMBER}:\n"
    use_group(belfry, GROUP)

    belfry.start()

    assert not is_privileged(belfry)
    assert group_warnings(belfry) == [WARNING]
    assert WARNING in belfry.host.run("belfryd", "--check-config").stderr


def test_reload_to_a_number_or_a_local_name_needs_no_directory(directory, belfry, local_group):
    belfry.start()
    directory.go_away()

    for group in (str(NUMBER), local_group):
        use_group(belfry, group)
        belfry.ctl("reload")
        assert is_privileged(belfry), group
        use_group(belfry, "belfry")
        belfry.ctl("reload")
        assert not is_privileged(belfry), group

    assert group_warnings(belfry) == []


@pytest.mark.parametrize("is_number", [True, False], ids=["number", "name"])
def test_start_with_a_number_or_a_local_name_needs_no_directory(directory, belfry, local_group, is_number):
    use_group(belfry, str(NUMBER) if is_number else local_group)
    directory.go_away()

    belfry.start()

    assert is_privileged(belfry)
    assert group_warnings(belfry) == []


def test_reload_finds_a_group_that_was_added(directory, belfry, request):
    use_group(belfry, "shop-local")
    directory.go_away()
    belfry.start()
    assert not is_privileged(belfry)

    request.getfixturevalue("local_group")
    belfry.ctl("reload")

    assert is_privileged(belfry)
    # At the start.
    assert len(group_warnings(belfry)) == 1


def test_signal_and_client_of_users_without_a_name_are_served_at_once(directory, belfry):
    belfry.start()
    subscriber = belfry.subscribe(names=["flushRequested"])
    directory.go_away()

    script = f"echo {NUMBER} >/proc/self/loginuid && kill -USR1 {belfry.main_pid()} && exec sleep 60"
    with belfry.host.running("sh", "-c", script):
        with belfry.connect(uid=NUMBER) as client:
            assert client.call("GetState")["state"] == "active"
        assert subscriber.next()["origin"]["loginUid"] == NUMBER
    assert not is_privileged(belfry)
    belfry.wait_until_logged()
    assert any(f"uid 0, login uid {NUMBER}" in message for message in belfry.messages())
    assert any(f"uid {NUMBER}, gid {NUMBER}: permission denied" in message for message in belfry.messages())
