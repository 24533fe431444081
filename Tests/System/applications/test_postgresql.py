# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""PostgreSQL as Debian installs it, with the lifecycle that comes with Belfry, under load."""

import re
import subprocess

import pytest
from documentation import code_block
from host_roots import PROJECT
from shipped_application import ShippedApplication

PORT = "/etc/systemd/system/belfry-listener@postgresql.service.d/port.conf"
APPLICATIONS = PROJECT / "docs/applications.md"
CLUSTERS = {"machine": "15/main", "trixie": "17/main"}
AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--reset-env"]


class Cluster(ShippedApplication):
    """The application `postgresql`, for one cluster."""

    def __init__(self, host, cluster: str):
        super().__init__(host, "postgresql", f"postgresql@{cluster.replace('/', '-')}.service")
        self.cluster = cluster
        self.folder = f"/etc/postgresql/{cluster}"
        self.installed = {name: host.path(f"{self.folder}/{name}").read_text() for name in ("postgresql.conf", "pg_hba.conf")}

    def add(self, name: str, line: str) -> int:
        """Adds a line to a file that is otherwise as installed. Returns its number."""
        path, text = self.host.path(f"{self.folder}/{name}"), self.installed[name]
        if name == "pg_hba.conf":
            # The first line that matches decides.
            path.write_text(f"{line}\n{text}")
            return 1
        path.write_text(f"{text}{line}\n")
        return len(text.splitlines()) + 1

    def sql(self, statement: str, check: bool = True) -> str:
        command = [*AS_POSTGRES, "psql", f"--cluster={self.cluster}", "-qXAt", "-c", statement]
        return self.host.run(*command, check=check).stdout.strip()

    def server_log(self) -> str:
        return self.host.path(f"/var/log/postgresql/postgresql-{self.cluster.replace('/', '-')}.log").read_text(errors="replace")

    def restore(self) -> None:
        for name, text in self.installed.items():
            self.host.path(f"{self.folder}/{name}").write_text(text)


@pytest.fixture
def postgresql(on_each):
    """A cluster that has run before it was enabled."""
    host = on_each.host
    cluster = Cluster(host, CLUSTERS[host.name])
    try:
        host.systemctl("start", cluster.unit.name)
        if cluster.cluster != "15/main":
            (command,) = re.findall("`(belfryctl enable postgresql 17-main)`", APPLICATIONS.read_text())
            # As root's shell on a hardened host.
            host.run("sh", "-ec", f"umask 077; {command}")
        cluster.drop_in("test", "[Application]\nHealthInterval=1s\n")
        cluster.enable()
        yield cluster
    finally:
        cluster.remove()
        cluster.restore()


def load(postgresql: Cluster):
    """Transactions on four connections during the block. pgbench ends early if the last connection fails. They do not wait for the
    disk, which other tests use too."""
    pgbench = [*AS_POSTGRES, "env", "PGOPTIONS=-csynchronous_commit=off", "pgbench", f"--cluster={postgresql.cluster}"]
    postgresql.host.run(*pgbench, "--initialize", "--quiet")
    return postgresql.host.running(*pgbench, "--client=4", "--time=600")


def wait_for_load(postgresql: Cluster, bench: subprocess.Popen) -> None:
    """Returns when a hundred transactions more are committed."""

    def committed() -> int:
        return int(postgresql.sql("SELECT count(*) FROM pgbench_history"))

    before = committed()
    postgresql.wait_for(lambda: bench.poll() is not None or committed() > before + 100, "commit transactions")
    assert bench.poll() is None, bench.communicate()


def test_a_stop_writes_a_checkpoint_before_clients_are_sent_away(postgresql):
    with load(postgresql) as bench:
        wait_for_load(postgresql, bench)
        before = len(postgresql.server_log())
        # Debian's unit for all clusters, which passes it on.
        postgresql.host.systemctl("stop", "postgresql.service")
        postgresql.unit.wait_until_inactive()
        assert "terminating connection due to administrator command" in bench.communicate()[1]
    log = postgresql.server_log()[before:]
    assert -1 < log.find("checkpoint starting: immediate force wait") < log.find("checkpoint complete") < log.find("fast shutdown")
    assert postgresql.unit.properties("ActiveState", "Result") == {"ActiveState": "inactive", "Result": "success"}


def test_a_stop_and_a_start_of_all_clusters_restart_them(postgresql):
    host = postgresql.host
    host.systemctl("start", "postgresql")
    for _ in range(3):
        host.systemctl("reset-failed", postgresql.unit.name)
        before = host.properties(postgresql.unit.name, "MainPID")
        # Debian's unit for all clusters does not wait for their ends.
        host.systemctl("stop", "postgresql")
        host.systemctl("start", "postgresql")
        host.systemctl("start", postgresql.unit.name)
        assert host.properties(postgresql.unit.name, "MainPID") != before


def test_a_checkpoint_that_fails_is_told_and_the_stop_goes_on(postgresql):
    postgresql.add("pg_hba.conf", "local all all reject")
    postgresql.host.systemctl("reload", postgresql.unit.name)
    postgresql.wait_for(lambda: postgresql.sql("SELECT 1", check=False) == "", "refuse connections")
    postgresql.host.systemctl("stop", postgresql.unit.name)
    assert postgresql.says("listener 'postgresql' failed at willTerminate") and postgresql.says("pg_hba.conf rejects connection")
    assert postgresql.unit.properties("ActiveState", "Result") == {"ActiveState": "inactive", "Result": "success"}


def test_a_reload_is_refused_with_the_line_that_is_wrong(postgresql):
    folder = postgresql.folder
    (health,) = re.findall("^Health=(.*)$", postgresql.host.path("/usr/share/belfry/applications/postgresql.conf").read_text(), re.M)
    with load(postgresql) as bench:
        # pgbench of Debian reads the file at its start, too.
        wait_for_load(postgresql, bench)
        for name, text, reason in (
            ("postgresql.conf", "work_mem = nonsense", "work_mem: setting could not be applied"),
            ("postgresql.conf", "oops oops oops", "syntax error"),
            # It would prevent the next start.
            ("postgresql.conf", "max_connections = abc", "max_connections: setting could not be applied"),
            ("pg_hba.conf", "local all all nonsense", 'invalid authentication method "nonsense"'),
        ):
            number = postgresql.add(name, text)
            answer = postgresql.ctl("reload", check=False)
            assert answer.returncode == 78 and f"{folder}/{name}:{number}: {reason}" in answer.stderr
            # The server works on with what it has, and Health= says so.
            postgresql.host.run(*AS_POSTGRES, *health.split())
            postgresql.restore()
        # What only a restart changes is no error.
        postgresql.add("postgresql.conf", "work_mem = 7MB\nshared_buffers = 99MB")
        postgresql.ctl("reload")
        postgresql.wait_for(lambda: postgresql.sql("SHOW work_mem") == "7MB", "use the new configuration")
        wait_for_load(postgresql, bench)


def test_a_server_that_hangs_is_degraded_until_it_answers(postgresql):
    assert postgresql.is_healthy()
    postgresql.drop_in("hasty", "[On]\nHealth=pg_isready -h /run/postgresql -t 1\n")
    postgresql.enable()
    postgresql.unit.kill("STOP")
    try:
        postgresql.wait_for(lambda: not postgresql.is_healthy(), "notice that PostgreSQL hangs")
        answer = postgresql.ctl("is-active", check=False).stdout
        assert "postgresql is degraded: Health= failed: /run/postgresql:5432 - no response" in answer
    finally:
        postgresql.unit.kill("CONT")
    postgresql.wait_for(postgresql.is_healthy, "notice that PostgreSQL answers again")


def test_an_instance_that_cannot_be_is_refused_and_nothing_is_written(on_each):
    for command, reason in (
        (["postgresql", "17-main\nUser=root"], "cannot have the instance"),
        (["redis", "17-main"], "redis-server.service cannot have the instance '17-main'"),
    ):
        answer = on_each.host.run("belfryctl", "enable", *command, check=False)
        assert answer.returncode == 64 and reason in answer.stderr
        assert not on_each.host.path(f"/etc/belfry/applications/{command[0]}.conf.d").exists()


def test_another_cluster_on_another_port(on_each):
    host = on_each.host
    version = CLUSTERS[host.name].split("/")[0]
    host.run("pg_createcluster", "--port=5433", version, "other")
    cluster = Cluster(host, f"{version}/other")
    try:
        host.systemctl("daemon-reload")
        host.systemctl("start", cluster.unit.name)
        host.write(PORT, code_block("ini", f"# {PORT}\n"))
        host.run("belfryctl", "enable", "postgresql", f"{version}-other")
        assert cluster.is_healthy()
        cluster.host.systemctl("stop", cluster.unit.name)
        assert "checkpoint starting: immediate force wait" in cluster.server_log()
    finally:
        cluster.remove()
        host.run("rm", "-rf", PORT)
        host.run("pg_dropcluster", "--stop", version, "other")
        host.systemctl("daemon-reload")
