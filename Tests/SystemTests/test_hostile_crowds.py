# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""As many connections as there may be: the owners still get in."""

from bystanders import unharmed
from hostile_clients import HostileClients, assail, call


def test_one_user_with_all_connections_keeps_nobody_out(started, figures):
    with unharmed(started, figures, "3000 connections of one user") as go_around:
        with HostileClients(started, [call("GetState")], 3000):
            go_around()
            started.ctl("reload")


def test_connections_that_say_nothing(started, figures):
    with unharmed(started, figures, "20000 connections of 4 users that close at once"):
        assail(started, [b"{"], 100, users=4, rounds=200, anew=True)
