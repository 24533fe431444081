# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The maximum of connections is open: owners can still connect."""

from bystanders import GROWTH_OF_MANY, unharmed
from hostile_clients import HostileClients, assail, call

CONNECTIONS = 4 * 1024


def test_four_users_with_all_connections_do_not_lock_the_owners_out(started, figures):
    """Another user is refused with an error; the owners, and connected clients, are not affected."""
    with unharmed(started, figures, "4 users with 1024 connections each", GROWTH_OF_MANY, newcomers=(0,)) as go_around:
        with HostileClients(started, [call("Subscribe", more=True)], CONNECTIONS, users=4):
            go_around()
            assert "active" in started.ctl("status").stdout
            started.ctl("reload")
            started.host.systemctl("reload", started.name)


def test_one_user_with_all_its_connections_locks_no_other_out(started, figures):
    with unharmed(started, figures, "3000 connections of one user") as go_around:
        with HostileClients(started, [call("GetState")], 3000):
            go_around()
            started.ctl("reload")


def test_silent_connections(started, figures):
    with unharmed(started, figures, "20000 connections of 4 users that close at once"):
        assail(started, [b"{"], 100, users=4, rounds=200, anew=True)
