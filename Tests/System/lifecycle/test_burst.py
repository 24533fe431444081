# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Signals without end."""

import pytest
from belfry_service import SERVICE


@pytest.mark.parametrize("signal", ["HUP", "USR1"])
def test_clients_are_served_and_a_stop_is_obeyed_during_signals_without_end(on_each, signal):
    on_each.start()
    # As fast as a shell can.
    loop = f"while kill -{signal} {on_each.main_pid()} 2>/dev/null; do :; done"
    with on_each.host.running("sh", "-c", loop):
        for _ in range(5):
            assert on_each.status()["state"] == "active"
        on_each.ctl("pause")
        on_each.ctl("resume")
        on_each.host.systemctl("stop", SERVICE)

    assert on_each.properties("Result", "NRestarts") == {"Result": "success", "NRestarts": "0"}
