# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The example of a cache in docs/configuration.md works as installed, and elsewhere with its drop-in."""

import re
from subprocess import PIPE

import pytest
from belfry_service import DROP_INS, SERVICE
from documentation import code_block
from programs import running

EXAMPLE = "/etc/belfry/belfry.conf.d/50-local.conf"
INSTALLED = "/var/cache/belfry/thumbnails"
ELSEWHERE = "/srv/thumbnails"


def make_cache(belfry, folder: str) -> None:
    """Creates the cache as the example does, with one file older than its limit and one that is not."""
    for line in code_block("console", "CACHEDIR.TAG").replace(INSTALLED, folder).splitlines():
        belfry.host.run("sh", "-c", line.removeprefix("# "))
    for name, days in {"old": 31, "new": 29}.items():
        belfry.host.run("touch", f"--date={days} days ago", f"{folder}/{name}")


def flush(belfry) -> str:
    """Flushes by signal, and returns what the journal says of it."""

    def reports() -> list[str]:
        return [message for message in belfry.messages() if message.startswith("cacheFlush: ")]

    belfry.kill("USR1")
    belfry.wait_for(lambda: reports() != [], "flush the cache")
    return reports()[0]


def remaining(belfry, folder: str) -> list[str]:
    return sorted(path.name for path in belfry.host.path(folder).iterdir())


@pytest.fixture
def caching(on_each):
    yield on_each
    on_each.host.run("rm", "-rf", INSTALLED, ELSEWHERE)


def test_example_trims_its_cache_as_installed(caching):
    caching.start()
    caching.host.write(EXAMPLE, code_block("ini", f"# {EXAMPLE}\n"))
    make_cache(caching, INSTALLED)
    caching.host.systemctl("reload", SERVICE)

    caching.host.run("belfryd", "--check-config")
    assert flush(caching) == "cacheFlush: 'thumbnails' written back, removed 1 of 2 files, freed 0 bytes"
    assert remaining(caching, INSTALLED) == ["CACHEDIR.TAG", "new"]


def test_open_file_is_spared_in_the_sandbox(caching):
    caching.host.write(EXAMPLE, "[Cache thumbnails]\nPath=%C/belfry/thumb*\nFilesMax=0\n")
    caching.start()
    make_cache(caching, INSTALLED)
    caching.host.run("chown", "belfry", f"{INSTALLED}/old", f"{INSTALLED}/new")

    with open(caching.host.path(INSTALLED) / "old"):
        printed = caching.ctl("flush").stdout

    assert ": 'thumbnails' written back, removed 1 of 2 files, freed 0 bytes, kept 1 files that are open\n" in printed
    assert remaining(caching, INSTALLED) == ["CACHEDIR.TAG", "old"]


def test_progress_is_in_the_status_of_the_unit(caching):
    caching.host.write(EXAMPLE, "[Cache thumbnails]\nPath=%C/belfry/thumbnails\nFilesMax=0\n")
    caching.start()
    make_cache(caching, INSTALLED)
    caching.host.run("sh", "-ec", f"cd {INSTALLED}; seq 100 | split -l 1; chown belfry *")
    texts = []

    def has_progress() -> bool:
        texts.append(caching.property("StatusText"))
        return re.fullmatch(r"active, 'cacheFlush': flushed [1-9]\d* of 102 files", texts[-1]) is not None

    # The deletion of a file takes 20 ms.
    with caching.traced("--trace=unlinkat", "--inject=unlinkat:delay_enter=20ms"):
        with running(caching.host.enter("belfryctl", "flush"), stdout=PIPE) as flush:
            caching.wait_for(has_progress, "tell systemd how far it is")
            assert "removed 102 of 102 files" in flush.communicate(timeout=20)[0]

    caching.wait_for(lambda: caching.property("StatusText") == "active", "tell systemd that it is done")


def test_cache_elsewhere_is_trimmed_with_the_drop_in(caching):
    caching.host.write(EXAMPLE, code_block("ini", f"# {EXAMPLE}\n").replace(INSTALLED, ELSEWHERE))
    make_cache(caching, ELSEWHERE)
    caching.host.write(f"{DROP_INS}/cache.conf", code_block("ini", "/belfryd.service.d/cache.conf"))
    caching.host.systemctl("daemon-reload")
    caching.start()

    assert flush(caching) == "cacheFlush: 'thumbnails' written back, removed 1 of 2 files, freed 0 bytes"
    assert remaining(caching, ELSEWHERE) == ["CACHEDIR.TAG", "new"]
