# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`ProtectedData=`: file systems that are mounted and unmounted while the service runs in its sandbox."""

import pytest
from belfry_service import SERVICE

VAULT = "/srv/vault"
SPACED = "/srv/the vault"
CONFIGURED = f'[Service]\nProtectedData={VAULT} "{SPACED}"\n'
AVAILABLE = "protectedDataDidBecomeAvailable"
UNAVAILABLE = "protectedDataWillBecomeUnavailable"


def mount(belfry, point: str) -> None:
    """Mounts on the host, outside of the unit's own mount namespace."""
    belfry.host.run("mkdir", "-p", point)
    belfry.host.run("mount", "-t", "tmpfs", "tmpfs", point)


def unmount(belfry, point: str) -> None:
    belfry.host.run("umount", point)


@pytest.fixture
def guarded(on_each):
    on_each.configure(CONFIGURED)
    on_each.start()
    yield on_each
    for point in (VAULT, SPACED, "/srv/other"):
        on_each.host.run("umount", point, check=False)


@pytest.mark.parametrize("point", [VAULT, SPACED])
def test_mount_and_unmount_are_posted(guarded, point):
    subscriber = guarded.subscribe()

    mount(guarded, point)
    come = subscriber.next()
    unmount(guarded, point)
    gone = subscriber.next()

    assert (come["name"], come["userInfo"]) == (AVAILABLE, {"path": point})
    assert (gone["name"], gone["userInfo"]) == (UNAVAILABLE, {"path": point})
    assert [record["MESSAGE"].rpartition(", ")[2] for record in guarded.notifications()[-2:]] == [point, point]


def test_reload_changes_what_is_watched(guarded):
    subscriber = guarded.subscribe()
    guarded.configure("[Service]\nProtectedData=/srv/other\n")
    guarded.host.systemctl("reload", SERVICE)
    subscriber.until("didReload")

    mount(guarded, VAULT)
    mount(guarded, "/srv/other")

    assert subscriber.next()["userInfo"] == {"path": "/srv/other"}


def test_unmount_of_a_mount_from_before_the_start_is_posted(on_each):
    mount(on_each, VAULT)
    on_each.configure(CONFIGURED)
    on_each.start()
    subscriber = on_each.subscribe()

    unmount(on_each, VAULT)

    assert subscriber.next()["name"] == UNAVAILABLE
    launch = [record["BELFRY_NOTIFICATION"] for record in on_each.notifications()]
    assert AVAILABLE not in launch
