# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The whole journal of belfryd, line by line: each transition, and what its listeners did."""

import pytest
from belfry_service import CACHE_TAG, CONFIGURATION, SERVICE
from journal_lines import JournalLines

FRAMES = "/var/cache/belfry/frames"
THUMBNAILS = "/var/cache/belfry/thumbnails"

LAUNCH = """
willFinishLaunching notRunning -> inactive, the service itself, after CAUSE
didFinishLaunching, the service itself
didBecomeActive inactive -> active, the service itself
launch took N ms
"""
PAUSE = """
willResignActive active -> inactive, SIGTSTP from pid 1 (systemd), uid 0, init.scope
didEnterBackground inactive -> background, SIGTSTP from pid 1 (systemd), uid 0, init.scope
cacheFlush: 'frames' removed 1 of 1 files, freed N bytes
pause took N ms
"""
RESUME = """
willEnterForeground background -> inactive, SIGCONT from pid 1 (systemd), uid 0, init.scope
didBecomeActive inactive -> active, SIGCONT from pid 1 (systemd), uid 0, init.scope
"""
FLUSH = """
flushRequested, SIGUSR1 from pid 1 (systemd), uid 0, init.scope
cacheFlush: 'frames' removed 1 of 1 files, freed N bytes
flushRequested took N ms
"""
FLUSH_OF_NOTHING = """
flushRequested, SIGUSR1 from pid 1 (systemd), uid 0, init.scope
flushRequested took N ms
"""
RELOAD = """
willReload, pid N (belfryctl), uid N, belfryd.service on the socket
didReload, pid N (belfryctl), uid N, belfryd.service on the socket
"""
REFUSED_RELOAD = f"""
{CONFIGURATION}:2:1: error: unknown signal 'USR3', did you mean 'USR1'?
willReload, pid N (belfryctl), uid N, belfryd.service on the socket
didFailToReload, pid N (belfryctl), uid N, belfryd.service on the socket, the old configuration stays
"""
STOP = """
willResignActive active -> inactive, SIGTERM from pid 1 (systemd), uid 0, init.scope
didEnterBackground inactive -> background, SIGTERM from pid 1 (systemd), uid 0, init.scope
willTerminate background -> notRunning, SIGTERM from pid 1 (systemd), uid 0, init.scope, reason stop
stop took N ms
"""
# The beginning of a pause and of a stop.
LEAVE_OF_BOTH = """
willResignActive active -> inactive, SIGNAL from pid 1 (systemd), uid 0, init.scope
didEnterBackground inactive -> background, SIGNAL from pid 1 (systemd), uid 0, init.scope
cacheFlush: 'thumbnails' written back, removed 1 of 1 files, freed N bytes; 'frames' removed 1 of 1 files, freed N bytes
socket: told 1 subscriber
"""
PAUSE_OF_BOTH = f"{LEAVE_OF_BOTH.replace('SIGNAL', 'SIGTSTP')}pause took N ms\n"
STOP_OF_BOTH = f"""{LEAVE_OF_BOTH.replace('SIGNAL', 'SIGTERM')}\
willTerminate background -> notRunning, SIGTERM from pid 1 (systemd), uid 0, init.scope, reason stop
stop took N ms
"""
FLUSH_OF_BOTH = """
flushRequested, SIGUSR1 from pid 1 (systemd), uid 0, init.scope
cacheFlush: 'thumbnails' written back, removed 1 of 1 files, freed N bytes; 'frames' removed 1 of 1 files, freed N bytes
flushRequested took N ms
"""


def fill(belfry, cache: str) -> None:
    """Writes a file into the cache."""
    belfry.host.write(f"{cache}/CACHEDIR.TAG", f"{CACHE_TAG}\n")
    belfry.host.write(f"{cache}/1", "a frame")
    belfry.host.run("chown", "-R", "belfry:", cache)


def fill_both(belfry) -> None:
    for cache in (THUMBNAILS, FRAMES):
        fill(belfry, cache)


def launch(cause: str) -> str:
    return LAUNCH.replace("CAUSE", cause)


@pytest.fixture
def journal(on_each):
    """The journal of a service that has never run, with a file in the cache that it brings."""
    for name in ("last-word", "last-exit"):
        on_each.host.path(f"/var/lib/belfry/{name}").unlink(missing_ok=True)
    fill(on_each, FRAMES)
    yield JournalLines(on_each, "belfryd")
    on_each.host.run("rm", "-rf", THUMBNAILS, f"{FRAMES}/1")


def test_journal_of_the_service_as_installed(on_each, journal):
    on_each.start()
    journal.says(launch("boot"))
    on_each.kill("TSTP")
    journal.says(PAUSE)
    on_each.kill("CONT")
    journal.says(RESUME)
    fill(on_each, FRAMES)
    on_each.kill("USR1")
    journal.says(FLUSH)
    on_each.kill("USR1")
    journal.says(FLUSH_OF_NOTHING)
    on_each.host.systemctl("reload", SERVICE)
    journal.says(RELOAD)
    on_each.configure("[Signals]\nUSR3=stop\n")
    on_each.host.systemctl("reload", SERVICE, check=False)
    journal.says(REFUSED_RELOAD)
    on_each.configure("")
    on_each.kill("KILL")
    journal.says(launch("crash (signal, killed by SIGKILL)"))
    on_each.host.systemctl("stop", SERVICE)
    journal.says(STOP)
    on_each.start()
    journal.says(launch("start (success, status 0)"))


def test_journal_of_a_service_with_a_cache_of_its_own_and_a_subscriber(on_each, journal):
    on_each.configure(f"[Cache thumbnails]\nPath={THUMBNAILS}\nFilesMax=0\n")
    fill(on_each, THUMBNAILS)
    on_each.start()
    journal.says(launch("boot"))
    with on_each.connect() as subscriber:
        subscriber.send("Subscribe", more=True)
        subscriber.reply()
        on_each.kill("TSTP")
        journal.says(PAUSE_OF_BOTH)
        on_each.kill("CONT")
        journal.says(RESUME)
        fill_both(on_each)
        on_each.kill("USR1")
        journal.says(FLUSH_OF_BOTH)
        fill_both(on_each)
        on_each.host.systemctl("stop", SERVICE)
        journal.says(STOP_OF_BOTH)
