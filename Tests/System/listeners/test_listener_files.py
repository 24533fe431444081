# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The files of listeners: their errors, their command lines, and the examples of docs/listeners.md."""

from belfry_service import SERVICE
from documentation import code_block, commands
from listener_unit import FOLDER, ListenerUnit


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


def install_example(listener: ListenerUnit, language: str, name: str) -> None:
    """Writes the program and the file of the listener `name` as docs/listeners.md prints them."""
    listener.listener, listener.name = name, f"belfry-listener@{name}.service"
    listener.program, listener.drop_ins = f"/usr/local/lib/belfry/{name}", f"/run/systemd/system/{listener.name}.d"
    listener.host.write(listener.program, code_block(language, f"# {listener.program}"))
    listener.host.path(listener.program).chmod(0o755 if language == "python" else 0o644)
    listener.host.write(f"{FOLDER}/{name}.listener", code_block("ini", f"{name}.listener"))


def test_shell_example_of_the_page(listener):
    install_example(listener, "sh", "videos")
    listener.drop_in(code_block("ini", "StateDirectory=videos"))
    listener.host.write("/srv/videos/film", "film")
    listener.host.write("/run/videos/recording", "")
    listener.belfry.start()
    listener.host.systemctl("daemon-reload")
    for command in commands("chmod +x /usr/local/lib/belfry/videos"):
        listener.host.run("sh", "-c", command)
    listener.wait_until_attached()

    assert listener.host.systemctl("reload", SERVICE, check=False).returncode != 0
    assert "listener 'videos' refused willReload: a recording is under way" in listener.belfry.messages()
    assert "videos: a recording is under way" in listener.belfry.ctl("reload", "--dry-run", check=False).stderr
    listener.host.path("/run/videos/recording").unlink()
    listener.host.systemctl("reload", SERVICE)
    listener.host.systemctl("stop", SERVICE)

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
