# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What belfryctl says of a program that fails or hangs as a listener."""


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
