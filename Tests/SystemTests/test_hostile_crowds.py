# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""As many connections as there may be: the owners still get in."""

from bystanders import unharmed
from hostile_clients import HostileClients, assail, call

CONNECTIONS = 4 * 1024


def test_four_users_with_all_connections_keep_nobody_out_who_must_get_in(started, figures):
    """Another user finds them taken, and is told; the owners, and who was there before, do not notice."""
    with unharmed(started, figures, "4 users with 1024 connections each", newcomers=(0,)) as go_around:
        with HostileClients(started, [call("Subscribe", more=True)], CONNECTIONS, users=4):
            go_around()
            assert "active" in started.ctl("status").stdout
            started.ctl("reload")
            started.host.systemctl("reload", started.name)


def test_one_user_with_all_connections_keeps_nobody_out(started, figures):
    with unharmed(started, figures, "3000 connections of one user") as go_around:
        with HostileClients(started, [call("GetState")], 3000):
            go_around()
            started.ctl("reload")


def test_connections_that_say_nothing(started, figures):
    with unharmed(started, figures, "20000 connections of 4 users that close at once"):
        assail(started, [b"{"], 100, users=4, rounds=200, anew=True)
