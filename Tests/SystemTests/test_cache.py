# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The cache that README.md shows, trimmed as installed, and elsewhere with the drop-in that it shows."""

import re

import pytest
from belfry_service import DROP_INS, SERVICE
from host_roots import PROJECT

README = (PROJECT / "README.md").read_text()
EXAMPLE = "/etc/belfry/belfry.conf.d/50-local.conf"
INSTALLED = "/var/cache/belfry/thumbnails"
ELSEWHERE = "/srv/thumbnails"


def shown(language: str, inside: str) -> str:
    """The one block of README.md in a language that has this inside."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    (block,) = [block for block in blocks if inside in block]
    return block


def make_cache(belfry, folder: str) -> None:
    """Makes the cache as README.md does, with a file that is older than its example allows, and one that is not."""
    for line in shown("console", "CACHEDIR.TAG").replace(INSTALLED, folder).splitlines():
        belfry.host.run("sh", "-c", line.removeprefix("# "))
    for name, days in {"old": 31, "new": 29}.items():
        belfry.host.run("touch", f"--date={days} days ago", f"{folder}/{name}")


def flush(belfry) -> str:
    """Flushes by signal, and returns what the journal says came of it."""

    def told() -> list[str]:
        return [record["MESSAGE"] for record in belfry.journal() if record.get("BELFRY_CACHE") == "thumbnails"]

    belfry.kill("USR1")
    belfry.wait_for(lambda: told() != [], "flush the cache")
    return told()[0]


def left(belfry, folder: str) -> list[str]:
    return sorted(path.name for path in belfry.host.path(folder).iterdir())


@pytest.fixture
def caching(on_each):
    yield on_each
    on_each.host.run("rm", "-rf", INSTALLED, ELSEWHERE)


def test_example_trims_its_cache_as_installed(caching):
    caching.start()
    caching.host.write(EXAMPLE, shown("ini", f"# {EXAMPLE}\n"))
    make_cache(caching, INSTALLED)
    caching.host.systemctl("reload", SERVICE)

    caching.host.run("belfryd", "--check-config", "--unit", f"/usr/lib/systemd/system/{SERVICE}")
    caching.ctl("rehearse", "USR1")

    assert flush(caching) == "cache 'thumbnails': written back, removed 1 of 2 files, freed 0 bytes"
    assert left(caching, INSTALLED) == ["CACHEDIR.TAG", "new"]


def test_cache_elsewhere_is_trimmed_with_the_drop_in(caching):
    caching.host.write(EXAMPLE, shown("ini", f"# {EXAMPLE}\n").replace(INSTALLED, ELSEWHERE))
    make_cache(caching, ELSEWHERE)
    caching.host.write(f"{DROP_INS}/cache.conf", shown("ini", "ReadWritePaths="))
    caching.host.systemctl("daemon-reload")
    caching.start()

    assert flush(caching) == "cache 'thumbnails': written back, removed 1 of 2 files, freed 0 bytes"
    assert left(caching, ELSEWHERE) == ["CACHEDIR.TAG", "new"]
