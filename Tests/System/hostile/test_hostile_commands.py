# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The commands of an application, and other processes of their user, get nothing but what every user may read."""

import json

import pytest
from application import Application
from hostile_clients import HostileClients, call

INTRUDER = "/usr/local/lib/belfry/intruder"
SOCKETS = {
    "shop": "/run/belfry@shop/io.belfry.Lifecycle",
    "other": "/run/belfry@other/io.belfry.Lifecycle",
    "belfryd": "/run/belfry/io.belfry.Lifecycle",
}
# The first word is the method.
ATTEMPTS = {
    "Pause": {},
    "Resume": {},
    "Interrupt": {},
    "Reload": {},
    "Hold": {"reason": "x"},
    "Post": {"name": "org.example.lantern"},
    "Simulate": {"name": "didReceiveMemoryWarning"},
    "PerformAction": {"id": "x"},
    "OpenURL": {"url": "x-example:none"},
    "Attach intruder": {"listener": "intruder", "names": ["willTerminate"]},
    "Attach shop": {"listener": "shop", "names": []},
    "Answer": {"token": "x", "outcome": "refused"},
    "Progress": {"token": "x"},
    "ReportHealth": {"listener": "shop", "health": "degraded"},
}
# It prints the answer to each attempt. With `move` it first moves to the control group above its own, that of the unit; with
# `impostor` into one of its own that is called as the unit.
PROGRAM = f"""#!/usr/bin/python3
import json, os, signal, socket, stat, sys

def call(path, method, parameters):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(path)
        more = method in ("Attach", "Hold")
        request = {{"method": "io.belfry.Lifecycle." + method, "parameters": parameters, "more": more}}
        client.sendall(json.dumps(request).encode() + bytes(1))
        received = b""
        while bytes(1) not in received:
            received += client.recv(65536) or bytes(1)
    return json.loads(received.split(bytes(1))[0] or "{{}}")

def kill(pid):
    try:
        os.kill(pid, signal.SIGTERM)
        return "succeeds"
    except PermissionError:
        return "PermissionDenied"

group = "/sys/fs/cgroup" + open("/proc/self/cgroup").read().split("::")[1].strip()
if "move" in sys.argv:
    group = os.path.dirname(group)
if "impostor" in sys.argv:
    group += "/belfry-listener@shop.service"
    os.mkdir(group)
if len(sys.argv) > 1:
    with open(group + "/cgroup.procs", "w") as processes:
        processes.write(str(os.getpid()))
for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS"):
    print(f"environment: {{name}}: {{name in os.environ}}")
others = []
for number in range(3, 256):
    try:
        others.append(stat.S_ISSOCK(os.fstat(number).st_mode))
    except OSError:
        pass
print(f"environment: sockets: {{any(others)}}")
for target, path in {SOCKETS!r}.items():
    for attempt, parameters in {ATTEMPTS!r}.items():
        error = call(path, attempt.split()[0], parameters).get("error", "succeeds")
        print(f"{{target}}: {{attempt}}: {{error.rpartition('.')[2]}}")
    print(f"{{target}}: SIGTERM: {{kill(call(path, 'GetState', {{}})['parameters']['pid'])}}")
"""
REFUSED = {f"{target}: {attempt}": "PermissionDenied" for target in SOCKETS for attempt in [*ATTEMPTS, "SIGTERM"]} | {
    f"environment: {name}": "False" for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS", "sockets")
}
# What remains to a command in the place of its program: the name is taken, and it has received no token.
IN_ITS_PLACE = {
    "shop: Attach shop": "ListenerExists",
    "shop: Answer": "UnknownToken",
    "shop: Progress": "UnknownToken",
    "shop: ReportHealth": "NotAttached",
}


@pytest.fixture(params=["www-data", ""], ids=["user", "dynamic"])
def shop(on_each, request):
    """An application whose commands are hostile, beside another one and a service without one."""
    on_each.start()
    applications = [Application(on_each.host, name, options="Timeout=60s") for name in ("shop", "other")]
    on_each.host.write(INTRUDER, PROGRAM)
    on_each.host.path(INTRUDER).chmod(0o755)
    try:
        for application in applications:
            application.commands = {"Pause": "/bin/true", "com.example.visit": INTRUDER, "com.example.move": f"{INTRUDER} move"}
            application.write_unit()
            application.write(request.param)
            application.begin()
        yield applications[0]
    finally:
        for application in applications:
            application.remove()


def answers(text: str) -> dict[str, str]:
    lines = [line.rpartition(": ") for line in text.splitlines()]
    return {line[0]: line[2] for line in lines if line[0].split(": ")[0] in (*SOCKETS, "environment")}


def post(shop: Application, name: str) -> dict[str, str]:
    """The answers that the command at this notification gets."""
    shop.listener.skip_old_records()
    shop.ctl("post", name, "--wait")
    records = shop.listener.journal()
    return answers("\n".join(r["MESSAGE"] for r in records if r.get("SYSLOG_IDENTIFIER") == f"belfry-listener@{shop.instance}"))


def condition(shop: Application) -> tuple:
    with shop.connect() as client:
        holds = client.call("ListHolds")["holds"]
    return shop.main_pid(), shop.state(), [one["name"] for one in shop.listeners()], holds, shop.property("NRestarts")


def test_a_command_may_only_look(shop):
    before = condition(shop)
    assert post(shop, "com.example.visit") == REFUSED
    assert condition(shop) == before
    assert shop.says("refused io.belfry.Lifecycle.Pause of pid")
    assert str(shop.group()) not in shop.listener.process_status()["Groups"].split()


def test_a_command_that_takes_the_place_of_its_program_gets_nothing_by_that(shop):
    before = condition(shop)
    assert post(shop, "com.example.move") == REFUSED | IN_ITS_PLACE
    assert condition(shop) == before


def test_another_process_of_the_same_user_may_only_look(shop):
    before = condition(shop)
    status = shop.listener.process_status()
    user, group = (status[key].split()[0] for key in ("Uid", "Gid"))
    other = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", INTRUDER]
    assert answers(shop.host.run(*other).stdout) == REFUSED
    assert condition(shop) == before


def test_a_group_that_is_called_as_the_unit_is_not_the_unit(shop):
    before = condition(shop)
    run = ["systemd-run", "--quiet", "--pipe", "--wait", "--uid=www-data", "--property=Delegate=yes", INTRUDER, "impostor"]
    assert answers(shop.host.run(*run).stdout) == REFUSED
    assert condition(shop) == before


def test_the_program_may_attach_whoever_may_control(shop):
    shop.configure("[Socket]\nLook=owner\nPost=owner\nControl=owner\n")
    shop.host.systemctl("restart", shop.name, shop.listener.name)
    shop.wait_until_up()
    assert "background" in shop.ctl("pause").stdout


def test_strangers_with_all_their_connections_do_not_lock_the_program_out(belfry):
    shop = Application(belfry.host, Pause="/bin/echo paused")
    try:
        shop.write_unit()
        shop.write("")
        shop.begin()
        with HostileClients(shop, [call("Subscribe", more=True)], 4096, users=4) as done:
            assert done["closed"] > 0, json.dumps(done)
            shop.host.systemctl("restart", shop.listener.name)
            shop.wait_for(shop.is_attached, "have its program back")
            assert "background" in shop.ctl("pause").stdout
    finally:
        shop.remove()
