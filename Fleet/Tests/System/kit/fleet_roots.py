# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The root directories of hosts that can install what belfry-fleet depends on."""

import subprocess
from pathlib import Path

from host_roots import debian_root

# What belfry-fleetd needs. Its package would bring them.
LIBRARIES = ["libmosquitto1"]


def fleet_root(suite: str) -> Path:
    """A minimal Debian whose apt has the libraries without a network, but has not installed them."""
    root = debian_root(suite)
    archives = root / "var/cache/apt/archives"
    if not all(list(archives.glob(f"{library}_*.deb")) for library in LIBRARIES):
        download = ["apt-get", "--quiet", "--yes", "--no-install-recommends", "--download-only", "install"]
        subprocess.run(["chroot", root, *download, *LIBRARIES], check=True, stdout=subprocess.DEVNULL)
    return root
