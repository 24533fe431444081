# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A program that is a listener and offers an action."""

from contextlib import contextmanager


@contextmanager
def dancer(belfry, *names: str):
    """A listener that answers these notifications, and offers to dance."""
    actions = [{"id": "dance", "title": "Dance a little"}]
    with belfry.connect() as program:
        parameters = {"listener": "dancer", "names": names, "actions": actions, "confirm": True}
        program.send("Attach", parameters, more=True)
        program.reply()
        yield program
