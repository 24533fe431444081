# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The example of the page: a backup is stopped when an application waits for memory."""

import pytest
from documentation import code_block
from memory_hog import hog
from shipped_application import ShippedApplication

MESSAGE = "MemoryWarning= ran 'systemctl stop backup.service'"


@pytest.fixture
def media(on_each):
    media = ShippedApplication(on_each.host, "media")
    try:
        media.write_unit()
        media.host.write(media.file, code_block("ini", f"# {media.file}\n"))
        media.host.systemctl("start", media.unit.name)
        media.host.run("systemd-run", "--unit=backup", "sleep", "infinity")
        media.enable()
        yield media
    finally:
        media.host.systemctl("stop", "backup.service", check=False)
        media.remove()


def test_the_backup_runs_until_the_application_waits_for_memory(media):
    def runs() -> bool:
        return media.host.systemctl("is-active", "--quiet", "backup.service", check=False).returncode == 0

    assert runs()
    with hog(media.unit):
        media.wait_for(lambda: not runs(), "stop the backup")
    media.wait_for(lambda: MESSAGE in media.listener.messages(), "say what it ran")
    assert media.unit.property("ActiveState") == "active"
