# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""How little the units may do, and how a drop-in allows more, as docs/listeners.md has it. All other tests run with the same
filters of system calls."""

import re

import pytest
from belfry_instance import BelfryInstance
from belfry_service import CACHE_TAG, DROP_INS, SERVICE
from documentation import code_block
from exposure import HIGHEST, UNITS, exposure_is_at_most


def test_every_installed_unit_has_a_highest_exposure(on_each):
    folder = on_each.host.path(UNITS)

    assert {str(unit.relative_to(folder)) for unit in folder.glob("*/belfry*.service")} == set(HIGHEST)


@pytest.mark.parametrize("unit", HIGHEST)
def test_exposure_of_a_unit_is_low_in_the_host_and_offline(on_each, unit):
    scope, name = unit.split("/")

    assert exposure_is_at_most(on_each, HIGHEST[unit], f"--{scope}", "--offline=true", f"{UNITS}/{unit}")
    # test_user_unit.py asks the service manager of a user.
    if scope == "system":
        assert exposure_is_at_most(on_each, HIGHEST[unit], name.replace("@", "@video"))


def test_exposure_is_as_low_with_the_drop_in_for_caches(on_each):
    on_each.host.write(f"{DROP_INS}/cache.conf", code_block("ini", "/belfryd.service.d/cache.conf"))
    on_each.host.systemctl("daemon-reload")

    assert "/srv/thumbnails" in on_each.property("ReadWritePaths")
    assert exposure_is_at_most(on_each, 10, SERVICE)
    assert exposure_is_at_most(on_each, 10, "--offline=true", f"{UNITS}/system/{SERVICE}")


def test_service_and_instance_run_under_a_filter_of_system_calls(started_on_each):
    video = BelfryInstance(started_on_each.host, "video")
    try:
        video.start()
        for service in (started_on_each, video):
            assert service.process_status()["Seccomp"].strip() == "2"
            assert "ptrace" not in service.property("SystemCallFilter").split()
    finally:
        video.remove()


THUMBNAILS = "/var/cache/belfry/thumbnails"
FILL_CACHE = f"install -d -o belfry {THUMBNAILS} && cd {THUMBNAILS} && echo '{CACHE_TAG}' >CACHEDIR.TAG && touch 1 2 3 && chown belfry *"
PROCESS_CALLS = ["clone", "clone3", "fork", "vfork", "execve", "execveat"]


def test_service_starts_threads_and_no_process(on_each):
    # A cache of this test: how long a flush takes depends on the files there, and on the machine.
    on_each.configure("[Cache thumbnails]\nPath=%C/belfry/thumb*\nFilesMax=1\n")
    on_each.host.run("sh", "-c", FILL_CACHE)
    on_each.start()
    with on_each.traced(f"--trace={','.join(PROCESS_CALLS)}") as strace:
        on_each.ctl("post", "com.example.bell", "--wait")
        on_each.ctl("flush")
        on_each.host.systemctl("reload", SERVICE)
        on_each.ctl("pause")
        on_each.ctl("resume")
        on_each.kill("USR2")
        with on_each.connect() as client:
            client.attach("bell", "com.example.bell")
        on_each.host.systemctl("stop", SERVICE)
        traced = strace.communicate(timeout=30)[1]
    on_each.host.run("rm", "-r", THUMBNAILS)

    calls = re.findall(rf"\b(?:{'|'.join(PROCESS_CALLS)})\(.*", traced)
    assert calls, traced
    assert all("CLONE_THREAD" in call for call in calls), calls


PROGRAM = r"""#!/usr/bin/python3
import ctypes, errno, re, socket

def attempt(name, call):
    try:
        call()
        print(name, "succeeds")
    except OSError as error:
        print(name, errno.errorcode[error.errno])

def trace():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")

print("filter", re.search(r"^Seccomp:\s(.)", open("/proc/self/status").read(), re.MULTILINE)[1])
attempt("internet", lambda: socket.socket(socket.AF_INET6))
attempt("packets", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("trace", trace)
"""


@pytest.mark.parametrize(
    "more, expected",
    [
        ("", ["filter 2", "internet succeeds", "packets EAFNOSUPPORT", "trace EPERM"]),
        # Without the capability the kernel refuses the socket, no longer the unit.
        (
            "RestrictAddressFamilies=AF_PACKET\nSystemCallFilter=@debug\n",
            ["filter 2", "internet succeeds", "packets EPERM", "trace succeeds"],
        ),
    ],
)
def test_program_of_a_listener_may_do_what_the_unit_and_its_drop_in_allow(listener, more, expected):
    listener.write("com.example.bell", PROGRAM)
    # As installed, not as on the other test hosts.
    listener.drop_in(f"[Service]\nSystemCallErrorNumber=EPERM\n{more}")
    listener.belfry.start()
    listener.start()

    listener.belfry.ctl("post", "com.example.bell", "--wait")

    listener.wait_for(lambda: listener.lines()[-len(expected) :] == expected, f"write {expected}")
