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
from host_roots import PROJECT
from hosted_unit import HostedUnit

EXAMPLE = PROJECT / "Examples/Worker"
UNIT = "worker.service"
UNIT_FILE = f"/run/systemd/system/{UNIT}"
CONFIGURATION = "/etc/worker/worker.conf"
ADDRESS = "/run/worker/io.belfry.Lifecycle"
SPOOL = "/var/lib/worker/jobs"


class Client:
    """A connection for jobs, with a time limit on every wait."""

    def __init__(self, host, path: str):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(20)
        self.socket.connect(str(host.path(path)))

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_) -> None:
        self.socket.close()

    def run(self, job: str) -> str:
        """Sends a job and returns the answer."""
        self.socket.send(job.encode())
        return self.socket.recv(4096).decode()

    def server_pid(self) -> int:
        """The id of the service's process outside the host."""
        return struct.unpack("3i", self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


@pytest.fixture
def installed(on_each):
    """A host with the program of the example."""
    host = on_each.host
    host.install(PROJECT / ".build/release/Worker", "/usr/local/bin/Worker")
    return on_each


@pytest.fixture
def worker(installed):
    """The example as its README says, started."""
    host = installed.host
    host.write(UNIT_FILE, (EXAMPLE / UNIT).read_text())
    host.write(CONFIGURATION, (EXAMPLE / "worker.conf").read_text())
    host.systemctl("daemon-reload")
    unit = HostedUnit(host, UNIT)
    unit.skip_old_records()
    host.systemctl("start", UNIT)
    yield unit
    host.systemctl("stop", UNIT)
    host.path(UNIT_FILE).unlink()
    host.systemctl("daemon-reload")
    for folder in ("/etc/worker", "/var/lib/worker"):
        shutil.rmtree(host.path(folder))


def ctl(worker, *arguments: str) -> str:
    return worker.host.run("belfryctl", "--socket", ADDRESS, *arguments).stdout


def test_clients_and_state_outlast_restarts(worker):
    with Client(worker.host, "/run/worker/jobs") as client:
        assert client.run("first") == f"stored {SPOOL}/job-1"
        pid = worker.main_pid()

        for number in (2, 3):
            worker.host.systemctl("restart", UNIT)
            # With the files gone, only the stored number is left.
            for job in worker.host.path(SPOOL).iterdir():
                job.unlink()
            assert client.run("next") == f"stored {SPOOL}/job-{number}"

        assert worker.main_pid() != pid
        assert worker.host.path(f"{SPOOL}/job-3").read_text() == "next"
        # Belfry's own descriptors are stored too.
        stored = int(worker.property("NFileDescriptorStore"))
    worker.wait_for(lambda: int(worker.property("NFileDescriptorStore")) == stored - 1, "remove the client that left")


def test_job_sent_during_a_restart_is_run(worker):
    with Client(worker.host, "/run/worker/jobs") as client:
        assert client.run("first") == f"stored {SPOOL}/job-1"
        ctl(worker, "pause")
        client.socket.send(b"second")
        worker.host.systemctl("restart", UNIT)

        assert client.socket.recv(4096).decode() == f"stored {SPOOL}/job-2"


def test_reload_refuses_bad_settings(worker):
    def reload(settings: str) -> int:
        worker.host.write(CONFIGURATION, f"[Worker]\n{settings}\n")
        return worker.host.systemctl("reload", UNIT, check=False).returncode

    with Client(worker.host, "/run/worker/jobs") as client:
        assert reload("SizeMax=1G") != 0
        assert reload("Directory=/nowhere") != 0
        assert client.run("12345").startswith("stored")
        assert reload("SizeMax=4") == 0
        assert client.run("12345") == "refused: the job is larger than 4 bytes"

    messages = "\n".join(worker.messages())
    assert f"{CONFIGURATION}:2:9: error:" in messages
    assert "unable to write to '/nowhere': No such file or directory" in messages


def test_jobs_are_logged_counted_and_timed(worker):
    with Client(worker.host, "/run/worker/jobs") as client:
        client.run("job")
        client.run("job")

    record = next(record for record in worker.journal() if record.get("LOGGER") == "worker.jobs")
    assert (record["MESSAGE"], record["JOB"], record["BYTES"]) == ("stored a job", f"{SPOOL}/job-1", "3")
    metrics = ctl(worker, "metrics", "--openmetrics").splitlines()
    assert 'worker_jobs_total{result="stored"} 2' in metrics
    assert "worker_job_duration_seconds_count 2" in metrics
    assert "worker" in ctl(worker, "metrics")


def test_action_is_performed(worker):
    assert "restart-numbers" in ctl(worker, "actions")
    with Client(worker.host, "/run/worker/jobs") as client:
        client.run("job")
        worker.host.path(f"{SPOOL}/job-1").unlink()
        ctl(worker, "perform", "restart-numbers")
        assert client.run("job") == f"stored {SPOOL}/job-1"


def test_works_as_the_first_process_of_a_container(installed):
    host, folder = installed.host, "/run/worker-in-container"
    spool = f"{folder}/spool"
    host.write(f"{folder}/worker.conf", f"[Worker]\nDirectory={spool}\n")
    host.path(spool).mkdir()
    places = [f"RUNTIME_DIRECTORY={folder}", f"STATE_DIRECTORY={folder}/state"]
    bare = ["env", "--unset=NOTIFY_SOCKET", *places, "unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    try:
        with host.running(*bare, "/usr/local/bin/Worker", "--config", f"{folder}/worker.conf") as program:
            is_active = ["belfryctl", "--socket", f"{folder}/io.belfry.Lifecycle", "is-active"]
            installed.wait_for(lambda: host.run(*is_active, check=False).returncode == 0, "become active")
            with Client(host, f"{folder}/jobs") as client:
                assert client.run("job") == f"stored {spool}/job-1"
                pid = client.server_pid()
                status = Path(f"/proc/{pid}/status").read_text()
                assert next(line for line in status.splitlines() if line.startswith("NSpid:")).split()[-1] == "1"
                os.kill(pid, signal.SIGTERM)
            assert program.wait(20) == 0, program.stderr.read()
    finally:
        shutil.rmtree(host.path(folder))
