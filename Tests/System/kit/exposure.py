# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""How exposed the installed units are, as `systemd-analyze security` rates them."""

UNITS = "/usr/lib/systemd"
# The highest exposure of each unit that is installed, in tenths.
HIGHEST = {
    "system/belfryd.service": 10,
    "system/belfryd@.service": 10,
    "system/belfryd-fetch.service": 10,
    "system/belfryd-fetch@.service": 10,
    "system/belfry-listener@.service": 20,
    # Rated as if root ran it with all capabilities: systemd-analyze knows only what the unit itself takes away.
    "user/belfryd.service": 62,
    "user/belfryd@.service": 62,
    "user/belfry-listener@.service": 66,
}


def exposure_is_at_most(belfry, tenths: int, *unit: str) -> bool:
    # systemd-analyze refuses to read units of users without this variable.
    command = ["env", "XDG_RUNTIME_DIR=/tmp", "systemd-analyze", "security", "--no-pager", f"--threshold={tenths}", *unit]
    done = belfry.host.run(*command, check=False)
    assert "Overall exposure level" in done.stdout, done.stderr
    return done.returncode == 0
