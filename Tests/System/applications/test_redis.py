# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Redis as Debian installs it, with the lifecycle that comes with Belfry, under load."""

import secrets
import subprocess

import pytest
from documentation import code_block
from load import load
from shipped_application import ShippedApplication

CONFIGURATION = "/etc/redis/redis.conf"
DATA = "/var/lib/redis"
LOG = "/var/log/redis/redis-server.log"
PASSWORD = "/etc/systemd/system/belfry-listener@redis.service.d/password.conf"
RULE = "/etc/sudoers.d/redis-pause"


@pytest.fixture
def redis(on_each):
    """A Redis that never saves by itself, and has run before it was enabled."""
    host = on_each.host
    configuration = host.path(CONFIGURATION)
    installed = configuration.read_text()
    redis = ShippedApplication(host, "redis", "redis-server.service")
    try:
        configuration.write_text(f'{installed}\nsave ""\nappendonly no\n')
        host.systemctl("start", redis.unit.name)
        redis.drop_in("test", "[Application]\nTimeout=2s\nHealthInterval=1s\n")
        redis.enable()
        yield redis
    finally:
        redis.remove()
        configuration.write_text(installed)
        host.path(f"{DATA}/dump.rdb").unlink(missing_ok=True)


def ask(redis: ShippedApplication, *command: str) -> str:
    return redis.host.run("redis-cli", "-e", *command).stdout.strip()


def number(redis: ShippedApplication, key: str) -> int:
    return int(ask(redis, "GET", key) or 0)


def reads(redis: ShippedApplication) -> int:
    """How often clients have read so far."""
    lines = ask(redis, "INFO", "commandstats").splitlines()
    return next((int(line.split("calls=")[1].split(",")[0]) for line in lines if line.startswith("cmdstat_strlen:")), 0)


def test_a_stop_loses_no_write_that_was_acknowledged(redis):
    written = {}
    with load(redis, written, "redis_load.py", 4, "INCR", "counter"):
        redis.wait_for(lambda: number(redis, "counter") > 100, "take writes")
        redis.host.systemctl("stop", redis.unit.name)
    assert written["good"] > 100
    redis.begin()
    assert number(redis, "counter") == written["good"]


def test_a_save_on_a_full_disk_is_told_and_the_stop_goes_on(redis):
    host = redis.host
    host.systemctl("stop", redis.unit.name)
    host.run("mount", "-t", "tmpfs", "-o", "size=64k,mode=0777", "tmpfs", DATA)
    try:
        redis.begin()
        host.run("redis-cli", "-x", "SET", "key", input=secrets.token_hex(200_000))
        host.systemctl("stop", redis.unit.name)
        assert redis.unit.properties("ActiveState", "Result") == {"ActiveState": "inactive", "Result": "success"}
    finally:
        host.systemctl("stop", redis.unit.name, check=False)
        host.run("umount", DATA)
    assert redis.says("listener 'redis' failed at willTerminate: Stop=: ERR")
    assert "No space left on device" in host.path(LOG).read_text()


def test_a_save_in_the_background_is_told_and_save_points_save(redis):
    ask(redis, "SET", "key", "value")
    ask(redis, "CONFIG", "SET", "save", "3600 1")
    # Microseconds for a key. The process that saves in the background keeps it.
    ask(redis, "CONFIG", "SET", "rdb-key-save-delay", "60000000")
    ask(redis, "BGSAVE")
    ask(redis, "CONFIG", "SET", "rdb-key-save-delay", "0")
    redis.host.systemctl("stop", redis.unit.name)
    assert redis.says("listener 'redis' failed at willTerminate: Stop=: ERR Background save already in progress")
    redis.begin()
    assert ask(redis, "GET", "key") == "value"


def test_a_password_is_told_to_the_commands(redis):
    host = redis.host
    try:
        ask(redis, "CONFIG", "SET", "requirepass", "secret")
        redis.wait_for(lambda: not redis.is_healthy(), "miss the password")
        assert "NOAUTH" in redis.ctl("is-active", check=False).stdout
        host.write(PASSWORD, code_block("ini", f"# {PASSWORD}\n"))
        host.write("/etc/belfry/redis.password", "REDISCLI_AUTH=secret\n")
        redis.enable()
        redis.wait_for(redis.is_healthy, "use the password")
    finally:
        host.run("rm", "-rf", PASSWORD)
        host.systemctl("daemon-reload")


def test_a_pause_holds_writers_and_no_readers(redis):
    written, read = {}, {}
    with load(redis, written, "redis_load.py", 4, "INCR", "counter"), load(redis, read, "redis_load.py", 4, "STRLEN", "counter"):
        redis.wait_for(lambda: number(redis, "counter") > 100, "take writes")
        redis.ctl("pause")
        held, before = number(redis, "counter"), reads(redis)
        redis.wait_for(lambda: reads(redis) > before + 1000, "answer readers")
        assert number(redis, "counter") == held
        redis.ctl("resume")
        redis.wait_for(lambda: number(redis, "counter") > held, "take writes again")
    # Nobody was refused.
    assert set(written) == set(read) == {"good"}


def test_a_redis_that_hangs_is_degraded_until_it_answers(redis):
    assert redis.is_healthy()
    redis.unit.kill("STOP")
    try:
        redis.wait_for(lambda: not redis.is_healthy(), "notice that Redis hangs")
        reason = "Health= failed: ended after its timeout of 2 s"
        assert f"redis is degraded: {reason}" in redis.ctl("is-active", check=False).stdout
        answer = redis.ctl("pause", check=False)
        assert answer.returncode == 1 and "listener 'redis' gave no answer to didEnterBackground after 2" in answer.stderr
    finally:
        redis.unit.kill("CONT")
    redis.ctl("resume")
    redis.wait_for(redis.is_healthy, "notice that Redis answers again")
    # It has got the pause late.
    ask(redis, "SET", "key", "value")


def test_the_page_shows_the_file(redis):
    def lines(text: str) -> list[str]:
        return [line for line in text.splitlines() if line and not line.startswith("#")]

    shown = code_block("ini", "# /etc/belfry/applications/redis.conf\n")
    assert lines(shown) == lines(redis.host.run("cat", "/etc/belfry/applications/redis.conf").stdout)


def test_sudo_allows_one_user_one_thing(redis):
    host = redis.host
    host.run("useradd", "--create-home", "anna")
    host.write(RULE, code_block("text", f"# {RULE}\n"))
    host.run("visudo", "--check", "--file", RULE)

    def sudo(*command: str) -> subprocess.CompletedProcess:
        anna = ["setpriv", "--reuid=anna", "--regid=anna", "--init-groups", "--reset-env"]
        return host.run(*anna, "sudo", "--non-interactive", *command, check=False)

    try:
        assert sudo("belfryctl", "pause", "redis").returncode == 0 and redis.state() == "background"
        assert sudo("belfryctl", "resume", "redis").returncode == 0 and redis.state() == "active"
        sequence = redis.status()["sequence"]
        for command in (["flush", "redis"], ["pause", "redis", "--help"], ["reload", "redis"], []):
            refused = sudo("belfryctl", *command)
            assert refused.returncode == 1 and "a password is required" in refused.stderr
        for command in (["belfryctl", "pause"], ["belfryctl", "pause", "nginx"], ["systemctl", "stop", "redis-server"], ["sh"]):
            refused = sudo(*command)
            assert refused.returncode == 1 and "a password is required" in refused.stderr
        assert redis.status()["sequence"] == sequence
    finally:
        host.path(RULE).unlink(missing_ok=True)
        host.run("userdel", "--remove", "anna")
