# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Programs as listeners, run by belfry-listener@.service."""

import json
import re
import time

import pytest
from belfry_service import SERVICE, SOCKET
from documentation import code_block
from listener_unit import FOLDER, ListenerUnit

PYTHON = """\
#!/usr/bin/python3
import json, os, sys
notification = json.load(sys.stdin)
assert notification["name"] == os.environ["BELFRY_NOTIFICATION"]
assert json.dumps(notification["userInfo"], separators=(",", ":")) == os.environ["BELFRY_USER_INFO"]
print(notification["sequence"], notification["origin"]["kind"], os.environ["BELFRY_ORIGIN"])
"""


@pytest.fixture
def listener(on_each):
    """A listener without a file; the service has not been started."""
    unit = ListenerUnit(on_each, "guard")
    yield unit
    unit.remove()


def test_script_refuses_a_reload_with_its_reason(listener):
    listener.write("willReload", '#!/bin/sh\necho "asked: $BELFRY_SIGNAL"\necho first >&2\necho "busy ${BELFRY_STATE}" >&2\nexit 4\n')
    listener.belfry.start()
    listener.start()

    done = listener.host.systemctl("reload", SERVICE, check=False)

    assert done.returncode != 0
    assert "guard: busy active" in "\n".join(listener.belfry.messages())
    assert listener.lines()[-4:] == ["asked: ", "first", "busy active", "failed at willReload: busy active"]
    [report] = [r for r in listener.belfry.journal() if r.get("BELFRY_LISTENER") == "guard" and "BELFRY_OUTCOME" in r]
    assert (report["BELFRY_NOTIFICATION"], report["BELFRY_OUTCOME"]) == ("willReload", "refused")
    record = next(r for r in listener.journal() if r["MESSAGE"] == "first")
    assert (record["BELFRY_NOTIFICATION"], record["_SYSTEMD_UNIT"]) == ("willReload", listener.name)
    listener.host.systemctl("stop", listener.name)
    listener.host.systemctl("reload", SERVICE)


def test_python_program_reads_the_notification(listener):
    listener.write("com.example.bell", PYTHON)
    listener.belfry.start()
    listener.start()

    listener.belfry.ctl("post", "com.example.bell", "door=front", "rings:=[1,2]", "--wait")

    assert re.fullmatch(r"\d+ socket socket", listener.lines()[-1])


def test_program_delays_a_stop(listener):
    listener.write("willTerminate", '#!/bin/sh\nsleep 2\necho done\n', "Timeout=8s\n")
    listener.belfry.start()
    listener.start()
    begin = time.monotonic()

    listener.host.systemctl("stop", SOCKET, SERVICE)

    assert time.monotonic() - begin >= 2
    assert "done" in listener.lines()
    assert listener.belfry.property("Result") == "success"
    assert listener.property("ActiveState") == "active"


def test_rehearsal_asks_the_program(listener):
    listener.write("willReload", '#!/bin/sh\n[ "$BELFRY_REHEARSAL" = 1 ] || exit 0\necho "not now" >&2\nexit 1\n', "Rehearse=yes\n")
    listener.belfry.start()
    listener.start()

    done = listener.belfry.ctl("rehearse", "HUP", check=False)

    assert done.returncode == 1
    assert "guard: not now" in done.stdout
    assert "guard" in listener.belfry.ctl("explain", "HUP").stdout
    listener.belfry.ctl("reload")


def test_one_run_at_a_time_and_what_waits_is_merged(listener):
    listener.write("com.example.a com.example.b", '#!/bin/sh\necho "$BELFRY_NOTIFICATION $BELFRY_COUNT"\nsleep 0.5\n')
    listener.belfry.start()
    listener.start()

    names = ["com.example.a", "com.example.b", "com.example.a", "com.example.b", "com.example.b"]
    for name in names:
        listener.belfry.ctl("post", name)
    listener.wait_for_line("com.example.b 3")

    lines = [line for line in listener.lines() if line.startswith("com.")]
    assert lines[:2] == ["com.example.a 1", "com.example.b 3"] or lines[:3] == ["com.example.a 1", "com.example.a 1", "com.example.b 3"]


@pytest.mark.nightly_on_trixie
@pytest.mark.parametrize("end", ["restart", "kill"])
def test_run_goes_on_while_the_service_restarts(listener, end):
    script = '#!/bin/sh\n[ "$BELFRY_NOTIFICATION" ] || exec echo "start $BELFRY_STATE"\necho begun\nsleep 2\necho ended\n'
    listener.write("com.example.bell", script, "RunOnStart=yes\nTimeout=20s\n")
    listener.belfry.start()
    listener.start()
    listener.wait_for_line("start active")
    listener.belfry.ctl("post", "com.example.bell")
    listener.wait_for_line("begun")
    pid = listener.belfry.main_pid()

    if end == "restart":
        listener.host.systemctl("restart", SERVICE)
    else:
        listener.belfry.kill("KILL")
    listener.belfry.wait_for_another(pid)
    listener.wait_until_attached()

    listener.wait_for_line("ended")
    listener.wait_for(lambda: listener.lines().count("start active") == 2, "run once after the attachment")
    listener.belfry.ctl("post", "com.example.bell", "--wait")
    assert listener.lines().count("ended") == 2


def test_stop_of_the_listener_lets_the_run_end(listener):
    listener.write("com.example.bell", "#!/bin/sh\necho begun\nsleep 0.5\necho ended\n")
    listener.belfry.start()
    listener.start()
    listener.belfry.ctl("post", "com.example.bell")
    listener.wait_for_line("begun")

    listener.host.systemctl("stop", listener.name)

    assert "ended" in listener.lines()
    assert listener.property("Result") == "success"


@pytest.mark.nightly_on_trixie
def test_stopped_service_is_not_started_by_a_listener(listener):
    listener.write("com.example.bell", "#!/bin/sh\n")
    listener.host.systemctl("start", SOCKET)

    listener.start()
    listener.wait_for_line("the service is stopped, waiting for it")
    listener.host.run("sleep", "1")
    assert listener.belfry.property("ActiveState") == "inactive"

    listener.belfry.start()
    listener.wait_until_attached()
    listener.host.systemctl("stop", SERVICE)
    listener.wait_for_line("waiting for it to return")
    listener.host.run("sleep", "1")
    assert listener.belfry.property("ActiveState") == "inactive"


def test_listener_takes_little_memory_and_does_not_wake_up(listener):
    listener.write("com.example.bell", "#!/bin/sh\n")
    listener.belfry.start()
    listener.start()
    listener.belfry.ctl("post", "com.example.bell", "--wait")

    status = listener.process_status()

    assert int(status["VmRSS"].split()[0]) <= 6 * 1024, status
    assert status["Threads"].strip() == "1"


def test_errors_in_a_file_have_a_place_and_the_unit_does_not_restart(listener):
    listener.write("willReload", "#!/bin/sh\n", "Timout=3s\n")
    message = f"{FOLDER}/guard.listener:4:1: error: unknown key 'Timout' in section [Listener], did you mean 'Timeout'?"

    check = listener.host.run("belfryd", "--check-config", check=False)
    listener.host.systemctl("start", listener.name, check=False)

    assert (check.returncode, check.stderr) == (78, f"{message}\n")
    assert message in listener.messages()
    assert listener.properties("ExecMainStatus", "ActiveState", "NRestarts") == {
        "ExecMainStatus": "78", "ActiveState": "failed", "NRestarts": "0",
    }


def test_program_has_network_and_another_user_by_the_printed_drop_in(listener):
    listener.write("com.example.bell", "#!/bin/sh\nid -un\necho hello >/srv/backup/file && echo written\n")
    listener.host.run("install", "-d", "-o", "backup", "/srv/backup")
    drop_in = code_block("ini", "User=backup")
    listener.drop_in(drop_in[drop_in.index("[Service]") :])
    listener.belfry.start()
    listener.start()

    listener.belfry.ctl("post", "com.example.bell", "--wait")

    lines = listener.lines()
    assert "backup" in lines and "written" in lines, lines
    network = listener.host.run("readlink", f"/proc/{listener.main_pid()}/ns/net").stdout
    assert network == listener.host.run("readlink", "/proc/1/ns/net").stdout
    assert network != listener.host.run("readlink", f"/proc/{listener.belfry.main_pid()}/ns/net").stdout


def install_example(listener: ListenerUnit, language: str, name: str) -> None:
    """Writes the program and the file of the listener `name` as docs/listeners.md prints them."""
    listener.listener, listener.name = name, f"belfry-listener@{name}.service"
    listener.program, listener.drop_ins = f"/usr/local/lib/belfry/{name}", f"/run/systemd/system/{listener.name}.d"
    listener.host.write(listener.program, code_block(language, f"# {listener.program}"))
    listener.host.path(listener.program).chmod(0o755)
    listener.host.write(f"{FOLDER}/{name}.listener", code_block("ini", f"{name}.listener"))


def test_shell_example_of_the_page(listener):
    install_example(listener, "sh", "videos")
    listener.drop_in(code_block("ini", "StateDirectory=videos"))
    listener.host.write("/srv/videos/film", "film")
    listener.host.write("/run/videos/recording", "")
    listener.belfry.start()
    listener.start()

    assert listener.host.systemctl("reload", SERVICE, check=False).returncode != 0
    assert "videos: a recording is under way" in "\n".join(listener.belfry.messages())
    assert "videos: a recording is under way" in listener.belfry.ctl("rehearse", "HUP", check=False).stdout
    listener.host.path("/run/videos/recording").unlink()
    listener.host.systemctl("reload", SERVICE)
    listener.host.systemctl("stop", SOCKET, SERVICE)

    assert "srv/videos/film" in listener.host.run("tar", "-tf", "/var/lib/private/videos/videos.tar").stdout


SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        print(self.rfile.read(int(self.headers["Content-Length"])).decode(), flush=True)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *arguments):
        pass
server = http.server.HTTPServer(("127.0.0.1", 80), Handler)
print("listening", flush=True)
server.serve_forever()
"""


def test_python_example_of_the_page_uses_the_network(listener):
    install_example(listener, "python", "report")
    hosts = listener.host.run("cat", "/etc/hosts", check=False).stdout
    listener.host.write("/etc/hosts", f"{hosts}\n127.0.0.1 monitor.example.com\n")
    listener.belfry.start()
    listener.start()
    with listener.host.running("/usr/bin/python3", "-c", SERVER) as server:
        assert server.stdout.readline() == "listening\n"

        listener.belfry.kill("TSTP")

        assert server.stdout.readline() == "didEnterBackground by init.scope\n"
    listener.host.write("/etc/hosts", hosts)


EXEC_LINES = [
    r"""a  'b c' "d\te" --x="f g"h""",
    r"${ONE} x${TWO}y $TWO $NONE ${NONE} $$ONE $${ONE} a$ONE $1 $ONE-b $ x ${1}y ${ONE $TWO",
    r"""$QUOTED '$TWO' "${TWO}" """,
    r"100%% \; ';' \x41\102 é",
]


def test_exec_lines_have_the_words_that_systemd_makes_of_them(listener):
    """What systemd passes to the same program with the same line."""
    show = """#!/bin/sh\nfor word in "$@"; do printf '<%s>\\n' "$word" | tr '\\t' '~'; done\n"""
    variables = "Environment=ONE=one \"TWO=two two\" \"QUOTED='a b' c\\\\ d\"\n"
    listener.write("com.example.bell", show)
    listener.belfry.start()
    for line in EXEC_LINES:
        listener.write("com.example.bell", show, f"Exec={listener.program} {line}\n")
        listener.drop_in(f"[Service]\n{variables}")
        unit = f"[Service]\nType=oneshot\n{variables}ExecStart={listener.program} {line}\nSyslogIdentifier=peer\n"
        listener.host.write("/run/systemd/system/peer.service", unit)
        listener.host.systemctl("daemon-reload")
        listener.skip_old_records()
        listener.start()
        cursor = listener.cursor

        listener.host.systemctl("start", "peer.service")
        listener.belfry.ctl("post", "com.example.bell", "--wait")

        records = listener.host.journal(after=cursor)
        theirs = [r["MESSAGE"] for r in records if r.get("SYSLOG_IDENTIFIER") == "peer"]
        ours = [text for text in listener.lines() if text.startswith("<")]
        assert (line, ours) == (line, theirs) and ours
        listener.host.systemctl("stop", listener.name)


def test_attach_from_a_shell(started_on_each):
    belfry = started_on_each
    command = ["attach", "shell", "--on", "com.example.bell", "--", "sh", "-c", 'echo "$BELFRY_USER_INFO"; echo why >&2; exit 1']
    with belfry.running_ctl(*command) as attached:
        assert "attached" in attached.stderr.readline()
        result = json.loads(belfry.ctl("post", "com.example.bell", "a=b", "--wait", "--json", check=False).stdout)
        assert attached.stdout.readline() == '{"a":"b"}\n'
        assert attached.stderr.readline() == "why\n"
    report = next(r for r in result["reports"] if r["listener"] == "shell")
    assert (report["outcome"], report["reason"]) == ("failed", "why")
