# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The example Examples/01-FirstListeners as a unit: a video, its clients, a cache and a log, driven by signals."""

import json
import re
import subprocess
import sys
import time

import pytest
from documentation import commands, sample, shape
from example import installed
from host_roots import PROJECT
from journal_lines import JournalLines
from load import load
from memory_hog import hog
from programs import running

EXAMPLE = PROJECT / "Examples/01-FirstListeners"
UNIT = "videod.service"
CONFIGURATION = "/etc/videod/videod.conf"
ADDRESS = "/run/videod/io.belfry.Lifecycle"
CACHE = "/var/cache/videod"
PORT, OTHER_PORT = 7008, 7009
# StateSaveInterval= of a test, in seconds.
INTERVAL = 2

LAUNCH = """
willFinishLaunching notRunning -> inactive, the service itself, after CAUSE
didFinishLaunching, the service itself
didDecodeRestorableState, the service itself, {"video":"FOUND"}
didBecomeActive inactive -> active, the service itself
video: plays from frame N
clients: accepts connections at 127.0.0.1:7008
launch took N ms
"""
# The beginning of a pause and of a stop.
LEAVE = """
willResignActive active -> inactive, SIGNAL from pid 1 (systemd), uid 0, init.scope
clients: accepts no connections at 127.0.0.1:7008
video: stopped at frame N
didEnterBackground inactive -> background, SIGNAL from pid 1 (systemd), uid 0, init.scope
video: dropped N decoded frames from memory
willEncodeRestorableState, the service itself
"""
PAUSE = f"{LEAVE.replace('SIGNAL', 'SIGTSTP')}pause took N ms\n"
STOP = f"""{LEAVE.replace('SIGNAL', 'SIGTERM')}\
willTerminate background -> notRunning, SIGTERM from pid 1 (systemd), uid 0, init.scope, reason stop
stop took N ms
"""
RESUME = """
willEnterForeground background -> inactive, SIGCONT from pid 1 (systemd), uid 0, init.scope
didBecomeActive inactive -> active, SIGCONT from pid 1 (systemd), uid 0, init.scope
video: plays from frame N
clients: accepts connections at 127.0.0.1:7008
resume took N ms
"""
FLUSH = """
flushRequested, SIGUSR1 from pid 1 (systemd), uid 0, init.scope
video: dropped N decoded frames from memory
cacheFlush: 'frames' written back, removed N of N files, freed N bytes
flushRequested took N ms
"""
RELOAD = """
willReload, pid N (belfryctl), uid 0, videod.service on the socket
didReload, pid N (belfryctl), uid 0, videod.service on the socket
clients: moved from 127.0.0.1:7008 to 127.0.0.1:7009
reload took N ms
"""
REFUSED_RELOAD = f"""
{CONFIGURATION}:5:8: error: invalid value of 'Listen': \
expected 'ADDRESS:PORT' (a numeric address), an absolute path, '@NAME' or 'systemd:NAME'
willReload, pid N (belfryctl), uid 0, videod.service on the socket
didFailToReload, pid N (belfryctl), uid 0, videod.service on the socket, the old configuration stays
"""


@pytest.fixture
def video(on_each):
    """The example as its README says, started."""
    with installed(on_each.host, EXAMPLE.name, "FirstListeners", folders=("/etc/videod", "/var/lib/videod", CACHE)) as unit:
        yield unit


def ctl(video, *arguments: str) -> str:
    return video.host.run("belfryctl", "--socket", ADDRESS, *arguments).stdout


def in_network(video, *command: str) -> list[str]:
    return ["nsenter", "-t", str(video.host.leader), "-n", *command]


def ask(video, port: int = PORT) -> int | None:
    """The frame that the service tells a client, or nothing if the client is refused."""
    program = f"import socket; c = socket.create_connection(('127.0.0.1', {port}), 20); c.send(b'?'); print(c.recv(100).decode())"
    done = subprocess.run(in_network(video, sys.executable, "-c", program), capture_output=True, text=True)
    if done.returncode != 0:
        assert "ConnectionRefusedError" in done.stderr, done.stderr
        return None
    return int(done.stdout.removeprefix("frame "))


def state(video) -> str:
    return json.loads(ctl(video, "status", "--json"))["state"]


def frames(video) -> list[str]:
    return [file.name for file in video.host.path(CACHE).glob("frame-*")]


def test_signals_drive_the_video_its_clients_and_its_cache(video):
    before = ask(video)
    video.wait_for(lambda: ask(video) > before and frames(video) != [], "play")

    video.kill("TSTP")
    video.wait_for(lambda: state(video) == "background", "pause")
    assert ask(video) is None
    paused = frames(video)
    assert paused != []
    video.kill("USR1")
    video.wait_for(lambda: frames(video) == [], "delete the frames")
    ctl(video, "post", "com.example.nothing", "--wait")
    assert frames(video) == [], "no frame is decoded in a pause"

    video.kill("CONT")
    video.wait_for(lambda: ask(video) is not None and frames(video) != [], "play again")
    messages = "\n".join(video.messages())
    assert re.search(r"cacheFlush: 'frames' .*removed [1-9]\d* of \d+ files", messages), messages


def play(video, port: int = PORT) -> None:
    """Returns when frames have been shown, and so are in the cache."""
    first = ask(video, port)
    video.wait_for(lambda: ask(video, port) > first + 2, "play")


def test_journal_of_each_transition(video):
    journal = JournalLines(video, "videod")
    configuration = (EXAMPLE / "videod.conf").read_text()

    journal.says(LAUNCH.replace("CAUSE", "boot").replace("FOUND", "absent"))
    play(video)
    video.kill("TSTP")
    journal.says(PAUSE)
    video.kill("CONT")
    journal.says(RESUME)
    play(video)
    video.kill("USR1")
    journal.says(FLUSH)
    video.host.write(CONFIGURATION, configuration.replace(f":{PORT}", f":{OTHER_PORT}"))
    video.host.systemctl("reload", UNIT)
    journal.says(RELOAD)
    video.host.write(CONFIGURATION, configuration.replace(f"127.0.0.1:{PORT}", "nowhere"))
    video.host.systemctl("reload", UNIT, check=False)
    journal.says(REFUSED_RELOAD)
    video.host.write(CONFIGURATION, configuration)
    video.kill("KILL")
    journal.says(LAUNCH.replace("CAUSE", "crash").replace("FOUND", "restored"))
    play(video)
    video.host.systemctl("stop", UNIT)
    journal.says(STOP)


def without_frames(lines: list[str]) -> list[str]:
    """The lines without what varies: frames, and which listeners took a millisecond."""
    return [re.sub(r"(?:(frame|dropped) \d+|( took ).*)", r"\1\2", shape(line)) for line in lines]


@pytest.mark.parametrize("lines", ["-n 7", "-n 12"])
def test_pages_show_what_the_journal_says_of_a_pause(video, lines):
    (*signals, journal), printed = sample(f"journalctl -t videod -o cat {lines}")

    video.wait_for(lambda: len(frames(video)) > 1, "play")
    for command in signals:
        video.host.run("sh", "-c", command)
    last = printed[-1].partition("took")[0]
    video.wait_for(lambda: any(message.startswith(last) for message in video.messages()), "end the transition")
    video.host.run("journalctl", "--sync")

    shown = video.host.run("sh", "-c", journal).stdout.splitlines()
    assert without_frames(shown) == without_frames(printed)


def test_memory_warning_empties_memory_and_cache(video):
    play(video)
    with hog(video):
        warned = r"didReceiveMemoryWarning,.*video: dropped \d+ decoded frames? from memory.*cacheFlush: 'frames' "
        video.wait_for(lambda: re.search(warned, "\n".join(video.messages()), re.S), "empty both")


def test_position_is_restored_and_a_pause_is_kept(video):
    seen = ask(video)
    video.host.systemctl("restart", UNIT)
    assert ask(video) >= seen

    seen = ask(video)
    ctl(video, "pause")
    video.host.systemctl("restart", UNIT)
    assert state(video) == "background" and ask(video) is None
    ctl(video, "resume")
    assert ask(video) >= seen


def test_position_after_a_crash_is_at_most_as_old_as_the_interval_says(video):
    configuration = (EXAMPLE / "videod.conf").read_text()
    video.host.write(CONFIGURATION, f"{configuration}\n[Service]\nStateSaveInterval={INTERVAL}s\n")
    video.host.systemctl("restart", UNIT)
    # What a client was told, and when it was known.
    seen: list[tuple[int, float]] = []
    video.wait_for(lambda: seen.append((ask(video), time.monotonic())) or seen[-1][1] > seen[0][1] + 3 * INTERVAL, "play")
    # To write takes time, too.
    oldest = time.monotonic() - INTERVAL - 1
    video.kill("KILL")

    def positions() -> list[int]:
        return [int(frame) for frame in re.findall(r"^video: plays from frame (\d+)$", "\n".join(video.messages()), re.M)]

    video.wait_for(lambda: len(positions()) == 3, "play again")
    known = max(frame for frame, at in seen if at < oldest)
    assert seen[0][0] < known <= positions()[-1], (seen, positions())


def test_reload_moves_the_socket_or_leaves_it(video):
    configuration = (EXAMPLE / "videod.conf").read_text()

    def reload(listen: str) -> int:
        video.host.write(CONFIGURATION, configuration.replace(f"127.0.0.1:{PORT}", listen))
        return video.host.systemctl("reload", UNIT, check=False).returncode

    taken = "import socket; s = socket.create_server(('127.0.0.1', 7010)); print('bound', flush=True); input()"
    with running(in_network(video, sys.executable, "-c", taken), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == "bound\n"
        assert reload("127.0.0.1:7010") != 0
        assert reload("nowhere") != 0
        assert ask(video) is not None
    assert reload(f"127.0.0.1:{OTHER_PORT}") == 0
    assert ask(video) is None and ask(video, OTHER_PORT) is not None

    messages = "\n".join(video.messages())
    assert "unable to listen on '127.0.0.1:7010': Address already in use (EADDRINUSE)" in messages
    assert f"{CONFIGURATION}:5:8: error: " in messages, messages


def accepted(video) -> int:
    """How many connections this process has accepted."""
    [count] = re.findall(r'^server_connections_accepted_total\{service="videod",server="clients"\} (\d+)', ctl(video, "metrics"), re.M)
    return int(count)


def end(video, verb: str) -> int:
    """Stops or restarts the service under load. Returns how many connections it had accepted."""
    with video.host.running("belfryctl", "--socket", ADDRESS, "hold", "--reason", "the test", "--", "cat") as hold:
        [status] = commands("/run/videod/io.belfry.Lifecycle status")
        video.wait_for(lambda: "the test" in video.host.run("sh", "-c", status).stdout, "be held")
        pid = video.main_pid()
        video.host.systemctl("--no-block", verb, UNIT)
        # The hold stops it here: clients are refused, and those that were accepted are being served.
        video.wait_for(lambda: state(video) == "inactive", "announce its stop")
        count = accepted(video)
        hold.stdin.close()
        hold.wait(30)
    video.wait_for(lambda: video.main_pid() != pid and video.property("SubState") in ("running", "dead"), verb)
    return count


def test_no_client_that_was_accepted_is_lost_under_load(video, figures):
    configuration = (EXAMPLE / "videod.conf").read_text()
    ports = [PORT, OTHER_PORT]
    total = 0
    results: dict[str, int] = {}
    with load(video, results, "line_load.py", 8, *ports):
        for _ in range(4):
            for _ in range(3):
                video.kill("TSTP")
                video.wait_for(lambda: state(video) == "background", "pause")
                video.kill("CONT")
                video.wait_for(lambda: state(video) == "active", "continue")
            for port in (OTHER_PORT, PORT, OTHER_PORT):
                video.host.write(CONFIGURATION, configuration.replace(f":{PORT}", f":{port}"))
                video.host.systemctl("reload", UNIT)
            total += end(video, "restart")
        total += end(video, "stop")

    figures.append(f"12 pauses, 12 moves, 4 restarts and a stop under load: {results}, accepted {total}")
    assert results["good"] == total > 100
    # Refused at once: none waited. A reset is a connection that the kernel completed while the socket was being closed.
    assert set(results) <= {"good", "ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError"}, results
