# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""belfryctl on a booted machine: history, wait, hold, actions and metrics."""

import json

from belfry_service import SERVICE
from dancer import dancer


def names(output: str) -> list[str]:
    return [json.loads(line)["notification"]["name"] for line in output.splitlines()]


def test_history_is_what_the_journal_has(started):
    started.ctl("post", "org.example.first")
    started.ctl("pause")
    started.ctl("post", "org.example.second")
    started.wait_for(lambda: len(started.notifications()) >= 7, "log")

    last = names(started.ctl("history", "--json", "-n", "4").stdout)
    assert last == ["org.example.first", "willResignActive", "didEnterBackground", "org.example.second"]
    assert names(started.ctl("history", "--json", "-n", "1", "--on", "org.example.first").stdout) == ["org.example.first"]
    # All of the journal would be what every test before this one has posted.
    both = ["org.example.first", "org.example.second"]
    assert names(started.ctl("history", "--json", "--on", *both).stdout)[-2:] == both
    line = started.ctl("history", "belfryd", "--on", "didEnterBackground", "-n", "1").stdout
    assert "inactive -> background" in line and "socket from pid" in line

    started.host.systemctl("stop", SERVICE)
    assert "willTerminate" in names(started.ctl("history", "--json", "-n", "3").stdout)


def test_wait_gives_up_in_time(started):
    done = started.ctl("wait", "org.example.never", "--timeout", "200ms", check=False)
    assert done.returncode == 69
    assert done.stderr == "unable to wait for 'org.example.never': nothing came in 200 ms\n"


def test_hold_lasts_as_long_as_its_command(started):
    command = ["hold", "--reason", "backup", "--", "sh", "-c", "echo begun; read _; exit 3"]
    with started.running_ctl(*command) as hold:
        assert hold.stdout.readline() == "begun\n"
        assert "Held for: backup (pid " in started.ctl("status").stdout
        started.host.systemctl("--no-block", "stop", SERVICE)
        assert hold.stderr.readline() == "belfryctl: stop waits for the hold to end\n"
        assert started.property("ActiveState") == "deactivating"
        hold.stdin.write("\n")
        hold.stdin.flush()
        assert hold.wait(20) == 3
    started.wait_until_inactive()


def test_a_pause_says_for_what_it_waits(started):
    command = ["hold", "--reason", "backup", "--", "sh", "-c", "echo begun; read _"]
    with started.running_ctl(*command) as hold:
        assert hold.stdout.readline() == "begun\n"
        with started.running_ctl("pause") as pause:
            line = pause.stderr.readline()
            assert line.startswith("belfryctl: pause by socket from pid ") and line.endswith(", waiting for 'backup'\n")
            hold.stdin.write("\n")
            hold.stdin.flush()
            assert pause.wait(20) == 0


def test_a_change_with_nothing_to_do_says_so(started):
    def told(*command: str) -> str:
        return started.ctl(*command).stderr

    assert told("resume") == "belfryctl: it was active before, nothing was run or changed\n"
    assert told("pause", "--reason", "first") == ""
    assert told("pause", "--reason", "second") == "belfryctl: it was paused (background) before, nothing was run or changed\n"
    assert "first" in started.ctl("status").stdout
    assert told("resume") == ""


def test_restart_of_the_service_does_not_restart_the_time_of_a_hold(started):
    def remaining() -> list[int]:
        return [hold["remainingUsec"] for hold in started.connect().call("ListHolds")["holds"]]

    with started.running_ctl("hold", "--reason", "backup", "--for", "1h") as hold:
        started.wait_for(remaining, "be held")
        [before] = remaining()
        started.kill("KILL")
        while hold.stderr.readline() != "belfryctl: the service is held again\n":
            assert hold.poll() is None
        [after] = remaining()
        assert after < before


def test_hold_ends_in_time_without_the_service(belfry):
    belfry.drop_in(Restart="no")
    belfry.start()
    endless = ["hold", "--reason", "backup", "--for", "8s"]
    with belfry.running_ctl(*endless) as alone, belfry.running_ctl(*endless, "--", "sh", "-c", "read _") as hold:
        belfry.wait_for(lambda: len(belfry.connect().call("ListHolds")["holds"]) == 2, "be held")
        belfry.kill("KILL")
        for process in (alone, hold):
            assert "closed the connection" in process.stderr.readline()
            assert process.stderr.readline() == "belfryctl: the service is no longer held: its timeout expired\n"
        assert alone.wait(20) == 75
        belfry.start()
        assert hold.stderr.readline() == "belfryctl: reconnected\n"
        assert belfry.connect().call("ListHolds")["holds"] == []
        hold.stdin.write("\n")
        hold.stdin.flush()
        assert (hold.wait(20), hold.stderr.read()) == (75, "")


def test_a_hold_waits_for_a_service_that_starts(belfry):
    with belfry.running_ctl("hold", "--reason", "backup", "--", "sh", "-c", "echo begun; read _") as hold:
        assert hold.stderr.readline().endswith(", waiting for it\n")
        belfry.start()
        assert hold.stdout.readline() == "begun\n"
        [held] = belfry.status()["holds"]
        assert held["reason"] == "backup" and held["ageUsec"] >= 0
        failed = belfry.ctl("list", "--failed", "--paused-for", "1us", check=False)
        assert failed.returncode == 1 and failed.stdout.startswith("belfryd: held for backup (pid ")
        hold.stdin.write("\n")
        hold.stdin.flush()
        assert hold.wait(20) == 0
    assert belfry.ctl("list", "--failed", "--paused-for", "1us").stdout == ""


def test_command_does_not_start_before_the_service_is_held(belfry):
    done = belfry.ctl("hold", "--reason", "x", "--timeout", "200ms", "--", "echo", "begun", check=False)
    assert (done.returncode, done.stdout) == (69, "")
    done = belfry.ctl("hold", "--reason", "x", "--for", "1 fortnight", "--", "true", check=False)
    assert done.returncode == 64


def test_actions_and_urls(started):
    assert started.ctl("actions", "--json").stdout == '{"actions":[]}\n'
    done = started.ctl("perform", "dance", check=False)
    assert done.returncode == 64 and "no listener offers it" in done.stderr
    with dancer(started, "openURL") as program, started.connect() as answers:
        assert "dance  Dance a little" in started.ctl("actions").stdout
        assert '{"id":"dance","title":"Dance a little"}' in started.ctl("actions", "--json").stdout
        for command, outcome, status in (
            (["perform", "dance", "steps=3"], "handled", 0),
            (["perform", "dance"], "failed", 1),
            (["open", "x:y"], "handled", 0),
            (["open", "--all", "x:y"], "handled", 0),
            (["open", "x:y"], "declined", 1),
        ):
            with started.running_ctl(*command) as ctl:
                question = program.reply()
                assert question["notification"]["userInfo"].get("toAll", False) == ("--all" in command)
                answers.call("Answer", {"token": question["token"], "outcome": outcome})
                assert ctl.wait(20) == status, (command, ctl.stderr.read())
                assert status or "dancer" in ctl.stdout.read()
