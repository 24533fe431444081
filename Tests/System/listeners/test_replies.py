# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What belfryctl says of a program that fails or hangs as a listener, and what it says that it did."""

import json


def test_resume_names_a_program_that_fails(listener):
    listener.write("didBecomeActive", "#!/bin/sh\ntest -e /run/works || { echo no upstream >&2; exit 3; }\n")
    listener.belfry.start()
    listener.start()
    assert listener.belfry.ctl("pause").stdout == "paused (background)\n"

    done = listener.belfry.ctl("resume", check=False)

    assert (done.returncode, done.stdout) == (1, "active\n")
    assert done.stderr == "belfryctl: listener 'guard' failed at didBecomeActive: no upstream\n"
    probe = listener.belfry.ctl("is-active", check=False)
    assert (probe.returncode, probe.stdout) == (1, "active\nlistener 'guard' failed at didBecomeActive: no upstream\n")
    listener.host.write("/run/works", "")
    listener.belfry.ctl("pause")
    assert listener.belfry.ctl("resume").stdout == "active\n"
    assert listener.belfry.ctl("is-active").stdout == "active\n"
    listener.host.path("/run/works").unlink()


def test_last_line_of_a_program_is_in_the_reply_the_journal_and_the_list(listener):
    belfry = listener.belfry
    listener.write("didEnterBackground", "#!/bin/sh\necho packing\necho saved 3 jobs\n")
    belfry.start()
    listener.start()

    state, *works = belfry.ctl("pause").stdout.splitlines()

    assert state == "paused (background)" and "guard: saved 3 jobs" in works
    belfry.wait_for(lambda: any("pause took" in message for message in belfry.messages()), "end the pause")
    assert "guard: saved 3 jobs" in belfry.messages()
    [timeline] = [r["BELFRY_TIMELINE"] for r in belfry.journal() if "BELFRY_TIMELINE" in r and r["BELFRY_TRIGGER"] == "pause"]
    calls = [call for step in json.loads(timeline) for call in step["listeners"]]
    assert next(call["work"] for call in calls if call["listener"] == "guard") == "saved 3 jobs"
    assert next(one["lastWork"] for one in belfry.listeners() if one["name"] == "guard") == "saved 3 jobs"
