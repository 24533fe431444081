# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`Group=` of a directory server that does not answer: the service goes on, and serves its clients. A test double in C is the
directory. As long as it is away, whoever asks it waits: nothing here would go on if the service did."""

import time

import pytest
from name_service_double import NameServiceDouble
from varlink_client import VarlinkError

GROUP = "shop-admins"
# The double knows no user with this number. A client with this user has the group with this number.
NUMBER = 60123
LATE = f"no answer about group '{GROUP}' in 5 s, its members are not privileged until there is one"
FOUND = f"group '{GROUP}' found"


@pytest.fixture
def directory(on_each):
    double = NameServiceDouble(on_each.host, {GROUP: NUMBER})
    yield double
    double.come_back()
    on_each.host.systemctl("stop", on_each.name)
    double.remove()


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


def test_start_goes_on_without_a_group_that_is_not_found_in_time(directory, on_each):
    use_group(on_each, GROUP)
    directory.go_away()

    on_each.start()

    assert on_each.status()["state"] == "active"
    assert not is_privileged(on_each)
    assert LATE in on_each.messages()
    directory.come_back()
    on_each.wait_for(lambda: is_privileged(on_each), "admit the member")
    assert FOUND in on_each.messages()


def test_reload_serves_clients_and_goes_on_without_a_group_that_is_not_found_in_time(directory, on_each):
    # Shorter than the wait.
    on_each.drop_in(WatchdogSec="3s")
    on_each.start()
    pid = on_each.main_pid()
    directory.go_away()
    use_group(on_each, GROUP)

    calls = 0
    with on_each.running_ctl("reload") as reload, on_each.connect() as client:
        while reload.poll() is None:
            assert client.call("GetState")["state"] == "active"
            calls += 1
            time.sleep(0.05)
        assert reload.returncode == 0, reload.stderr.read()

    assert calls > 20
    assert LATE in on_each.messages()
    assert (on_each.main_pid(), on_each.property("Result"), on_each.property("NRestarts")) == (pid, "success", "0")
    assert not is_privileged(on_each)
    directory.come_back()
    on_each.wait_for(lambda: is_privileged(on_each), "admit the member")


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


def test_start_waits_for_an_answer_in_time(directory, on_each):
    use_group(on_each, GROUP)
    directory.go_away()

    with on_each.host.running("systemctl", "start", on_each.name) as start:
        on_each.wait_for(lambda: on_each.property("MainPID") != "0", "begin")
        on_each.wait_for(lambda: on_each.footprint()["threads"] == 2, "ask for the group")
        assert start.poll() is None
        directory.come_back()
        assert start.wait(30) == 0

    assert is_privileged(on_each)
    assert LATE not in on_each.messages()
    on_each.wait_for(lambda: on_each.footprint()["threads"] == 1, "end the thread")


@pytest.mark.parametrize("group", [str(NUMBER), "shop-local"], ids=["number", "name"])
def test_number_and_local_name_need_no_directory(directory, on_each, group):
    local = on_each.host.path("/etc/group")
    before = local.read_text()
    local.write_text(f"{before}shop-local:x:{NUMBER}:\n")
    try:
        directory.go_away()
        use_group(on_each, group)
        on_each.start()
        assert is_privileged(on_each)
        use_group(on_each, "belfry")
        on_each.ctl("reload")
        assert not is_privileged(on_each)
    finally:
        local.write_text(before)

    assert not any("no answer about group" in message for message in on_each.messages())


def test_group_that_was_found_is_kept_by_a_reload_without_the_directory(directory, on_each):
    use_group(on_each, GROUP)
    on_each.start()
    assert is_privileged(on_each)
    directory.go_away()

    on_each.ctl("reload")

    assert is_privileged(on_each)
    assert LATE not in on_each.messages()


def test_another_group_does_not_wait_for_a_look_up_that_hangs(directory, on_each):
    on_each.start()
    directory.go_away()
    use_group(on_each, GROUP)
    on_each.host.systemctl("reload", on_each.name)
    assert not is_privileged(on_each)

    use_group(on_each, str(NUMBER))
    on_each.host.systemctl("reload", on_each.name)
    privileged_by_number = is_privileged(on_each)
    use_group(on_each, "belfry")
    on_each.host.systemctl("reload", on_each.name)
    directory.come_back()
    on_each.wait_for(lambda: on_each.footprint()["threads"] == 1, "get the answer")

    assert privileged_by_number
    # The answer is to a question that nobody asks any longer.
    assert not is_privileged(on_each)
    assert on_each.messages().count(LATE) == 1 and FOUND not in on_each.messages()


def test_stop_does_not_wait_for_the_directory(directory, on_each):
    use_group(on_each, GROUP)
    directory.go_away()
    on_each.start()

    on_each.host.systemctl("stop", on_each.name)

    assert on_each.properties("Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}
