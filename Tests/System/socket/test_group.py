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
def directory(on_each):
    double = NameServiceDouble(on_each.host, {GROUP: NUMBER})
    yield double
    double.come_back()
    on_each.host.systemctl("stop", on_each.name)
    double.remove()


@pytest.fixture
def local_group(on_each):
    """A group in /etc/group with the same number."""
    file = on_each.host.path("/etc/group")
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


def test_start_and_reload_go_on_without_a_group_of_the_directory(directory, on_each):
    use_group(on_each, GROUP)
    directory.go_away()

    on_each.start()
    assert on_each.status()["state"] == "active"
    assert not is_privileged(on_each)
    assert group_warnings(on_each) == [WARNING]
    pid = on_each.main_pid()

    on_each.ctl("reload")
    assert group_warnings(on_each) == [WARNING] * 2
    on_each.host.systemctl("reload", on_each.name)
    assert group_warnings(on_each) == [WARNING] * 3
    assert not is_privileged(on_each)
    assert on_each.main_pid() == pid


def test_name_is_not_looked_up_in_a_directory_that_answers(directory, on_each):
    assert on_each.host.run("getent", "group", GROUP).stdout == f"{GROUP}:x:{NUMBER}:\n"
    use_group(on_each, GROUP)

    on_each.start()

    assert not is_privileged(on_each)
    assert group_warnings(on_each) == [WARNING]
    assert WARNING in on_each.host.run("belfryd", "--check-config").stderr


def test_reload_to_a_number_or_a_local_name_needs_no_directory(directory, on_each, local_group):
    on_each.start()
    directory.go_away()

    for group in (str(NUMBER), local_group):
        use_group(on_each, group)
        on_each.ctl("reload")
        assert is_privileged(on_each), group
        use_group(on_each, "belfry")
        on_each.ctl("reload")
        assert not is_privileged(on_each), group

    assert group_warnings(on_each) == []


@pytest.mark.parametrize("is_number", [True, False], ids=["number", "name"])
def test_start_with_a_number_or_a_local_name_needs_no_directory(directory, on_each, local_group, is_number):
    use_group(on_each, str(NUMBER) if is_number else local_group)
    directory.go_away()

    on_each.start()

    assert is_privileged(on_each)
    assert group_warnings(on_each) == []


def test_reload_finds_a_group_that_was_added(directory, on_each, request):
    use_group(on_each, "shop-local")
    directory.go_away()
    on_each.start()
    assert not is_privileged(on_each)

    request.getfixturevalue("local_group")
    on_each.ctl("reload")

    assert is_privileged(on_each)
    # At the start.
    assert len(group_warnings(on_each)) == 1


def test_signal_and_client_of_users_without_a_name_are_served_at_once(directory, on_each):
    on_each.start()
    subscriber = on_each.subscribe(names=["flushRequested"])
    directory.go_away()

    script = f"echo {NUMBER} >/proc/self/loginuid && kill -USR1 {on_each.main_pid()} && sleep 1"
    on_each.host.run("sh", "-c", script)
    with on_each.connect(uid=NUMBER) as client:
        assert client.call("GetState")["state"] == "active"

    assert subscriber.next()["origin"]["loginUid"] == NUMBER
    assert not is_privileged(on_each)
    on_each.wait_until_logged()
    assert any(f"uid 0, login uid {NUMBER}" in message for message in on_each.messages())
    assert any(f"uid {NUMBER}, gid {NUMBER}: permission denied" in message for message in on_each.messages())
