# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A shutdown of the machine, which logind delays for unfinished work."""

import pytest
from login_double import BOTH, locks, wait_for_locks


@pytest.fixture(autouse=True)
def waited_for(on_each, login):
    """A service that logind waits for, long enough for all that a test does meanwhile."""
    login.limit_delay(60)
    on_each.start()
    wait_for_locks(on_each, BOTH)


def test_shutdown_waits_until_a_hold_has_ended(on_each, login):
    with on_each.connect() as client:
        client.send("Hold", {"reason": "copying"}, more=True)
        client.reply()
        login.announce_shutdown(True)
        # What was announced before is known when this is, which waits for the hold as well, and says so.
        login.announce_sleep(True)
        on_each.wait_for(lambda: "pause waits for 'copying'" in on_each.messages(), "wait for the hold")
        assert locks(on_each.host) == BOTH

    on_each.wait_for(lambda: "shutdown" not in locks(on_each.host), "let the shutdown go on")
