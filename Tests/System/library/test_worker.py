# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The example Examples/Worker, as a unit and as the first process of a container."""

import os
import shutil
import signal
import socket
import struct
from pathlib import Path

import pytest
from documentation import commands
from example import installed
from host_roots import PROJECT

UNIT = "worker.service"
CONFIGURATION = "/etc/worker/worker.conf"
ADDRESS = "/run/worker/io.belfry.Lifecycle"
SPOOL = "/var/lib/worker/jobs"


def run(worker, *jobs: str) -> None:
    """Writes jobs into the FIFO, and waits until the last one is stored or refused."""
    write(worker.host, "/run/worker/jobs", *jobs)
    worker.wait_for(lambda: any(jobs[-1] == job for job in stored(worker).values()), f"store '{jobs[-1]}'")


def write(host, path: str, *jobs: str) -> None:
    # Without a reader it fails with ENXIO. It never makes a file.
    fifo = os.open(host.path(path), os.O_WRONLY | os.O_NONBLOCK)
    os.write(fifo, "".join(job + "\n" for job in jobs).encode())
    os.close(fifo)


def stored(worker) -> dict[str, str]:
    """The jobs by the names of their files."""
    files = worker.host.path(SPOOL).glob("job-*")
    return {file.name: file.read_text() for file in files}


@pytest.fixture
def worker(on_each):
    """The example as its README says, started."""
    with installed(on_each.host, "Worker", "Worker", folders=("/etc/worker", "/var/lib/worker")) as unit:
        yield unit


def ctl(worker, *arguments: str) -> str:
    return worker.host.run("belfryctl", "--socket", ADDRESS, *arguments).stdout


def test_every_command_of_the_readme_works(worker):
    job, *others = commands("--product Worker")[5:]

    worker.host.run("sh", "-c", job)
    worker.wait_for(lambda: "job-1" in stored(worker), "store the job")

    for command in others:
        assert worker.host.run("sh", "-ec", command).stdout or "reload" in command


def test_fifo_and_state_outlast_restarts(worker):
    run(worker, "first")
    fifo = os.open(worker.host.path("/run/worker/jobs"), os.O_WRONLY | os.O_NONBLOCK)

    for number in (2, 3):
        worker.host.systemctl("restart", UNIT)
        # With the files gone, only the stored number is left.
        for job in worker.host.path(SPOOL).iterdir():
            job.unlink()
        os.write(fifo, b"next\n")
        worker.wait_for(lambda number=number: stored(worker) == {f"job-{number}": "next"}, "store the job")

    os.close(fifo)


def test_jobs_of_a_pause_and_a_restart_wait(worker):
    ctl(worker, "pause")
    write(worker.host, "/run/worker/jobs", "first", "second")
    worker.host.systemctl("restart", UNIT)
    assert stored(worker) == {}
    ctl(worker, "resume")

    worker.wait_for(lambda: stored(worker) == {"job-1": "first", "job-2": "second"}, "store the jobs")


def test_reload_refuses_bad_settings(worker):
    def reload(settings: str) -> int:
        worker.host.write(CONFIGURATION, f"[Worker]\n{settings}\n")
        return worker.host.systemctl("reload", UNIT, check=False).returncode

    assert reload("SizeMax=1G") != 0
    assert reload("Directory=/nowhere") != 0
    run(worker, "12345")
    assert reload("SizeMax=4") == 0
    run(worker, "123456", "1234")
    assert stored(worker) == {"job-1": "12345", "job-2": "1234"}

    messages = "\n".join(worker.messages())
    assert f"{CONFIGURATION}:2:9: error:" in messages
    assert "unable to write to '/nowhere': No such file or directory" in messages


def test_jobs_are_logged_counted_and_timed(worker):
    run(worker, "job", "job", "end")

    record = next(record for record in worker.journal() if record.get("LOGGER") == "worker.jobs")
    assert (record["MESSAGE"], record["JOB"], record["BYTES"]) == ("stored a job", f"{SPOOL}/job-1", "3")
    metrics = ctl(worker, "metrics").splitlines()
    assert 'worker_jobs_total{service="worker",result="stored"} 3' in metrics
    assert 'worker_job_duration_seconds_count{service="worker"} 3' in metrics


def test_action_is_performed(worker):
    assert "restart-numbers" in ctl(worker, "actions")
    run(worker, "first")
    worker.host.path(f"{SPOOL}/job-1").unlink()
    ctl(worker, "perform", "restart-numbers")
    run(worker, "second")
    assert stored(worker) == {"job-1": "second"}


def test_works_as_the_first_process_of_a_container(on_each):
    host, folder = on_each.host, "/run/worker-in-container"
    host.install(PROJECT / ".build/release/Worker", "/usr/local/bin/Worker")
    spool = f"{folder}/spool"
    host.write(f"{folder}/worker.conf", f"[Worker]\nDirectory={spool}\n")
    host.path(spool).mkdir()
    places = [f"RUNTIME_DIRECTORY={folder}", f"STATE_DIRECTORY={folder}/state"]
    bare = ["env", "--unset=NOTIFY_SOCKET", *places, "unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    try:
        with host.running(*bare, "/usr/local/bin/Worker", "--config", f"{folder}/worker.conf") as program:
            is_active = ["belfryctl", "--socket", f"{folder}/io.belfry.Lifecycle", "is-active"]
            on_each.wait_for(lambda: host.run(*is_active, check=False).returncode == 0, "become active")
            write(host, f"{folder}/jobs", "job")
            on_each.wait_for(lambda: host.path(f"{spool}/job-1").exists(), "store the job")
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(host.path(f"{folder}/io.belfry.Lifecycle")))
                pid = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
            status = Path(f"/proc/{pid}/status").read_text()
            assert next(line for line in status.splitlines() if line.startswith("NSpid:")).split()[-1] == "1"
            os.kill(pid, signal.SIGTERM)
            assert program.wait(20) == 0, program.stderr.read()
    finally:
        shutil.rmtree(host.path(folder))
