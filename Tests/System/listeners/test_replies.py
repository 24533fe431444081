# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What belfryctl says of a program that fails or hangs as a listener."""


def test_resume_names_a_program_that_fails(listener):
    listener.write("didBecomeActive", "#!/bin/sh\ntest -e /run/works || { echo no upstream >&2; exit 3; }\n")
    listener.belfry.start()
    listener.start()
    assert listener.belfry.ctl("pause").stdout == "background\n"

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


def test_pause_whose_client_has_gone_is_not_made_later(listener):
    listener.write("willReload", "#!/bin/sh\nwhile ! test -e /run/go; do sleep 0.1; done\n", "Timeout=1min\n")
    listener.belfry.start()
    listener.start()
    with listener.belfry.running_ctl("reload") as reload:
        listener.wait_for(lambda: "transition" in listener.belfry.status(), "reload")
        assert "Transition: reload by socket from pid " in listener.belfry.ctl("status").stdout
        assert listener.belfry.status()["transition"]["waitingFor"] == ["guard"]
        pause = listener.belfry.ctl("pause", "--timeout", "200ms", check=False)
        assert (pause.returncode, pause.stdout) == (69, "")
        listener.host.write("/run/go", "")
        assert reload.wait(20) == 0
    listener.belfry.ctl("post", "com.example.last")
    names = [record["BELFRY_NOTIFICATION"] for record in listener.belfry.notifications()]
    assert "didReload" in names and "willResignActive" not in names
    listener.host.path("/run/go").unlink()
