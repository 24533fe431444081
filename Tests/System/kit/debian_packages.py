# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The Debian packages of what is built, and the same with a higher version."""

import os
import subprocess
from pathlib import Path

from host_roots import PROJECT

NEWER = "99.0.0"


# Compressed in a moment, not in a minute.
FAST = {"DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"}


def run(*command) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | FAST).stdout


def build(folder: Path, *programs: str) -> dict[str, Path]:
    """Makes the packages of these programs, by name."""
    run(PROJECT / "scripts/make-deb", folder, *programs)
    return {package.name.split("_")[0]: package for package in folder.glob("*.deb")}


def with_higher_version(package: Path, folder: Path, changed: str | None = None) -> Path:
    """The same package with a higher version, in which one file has another line."""
    content = folder / package.stem
    run("dpkg-deb", "--raw-extract", package, content)
    if changed:
        with open(content / changed[1:], "a") as file:
            file.write("# of the newer version\n")
    control = content / "DEBIAN/control"
    version = run("dpkg-deb", "--field", package, "Version").strip()
    control.write_text(control.read_text().replace(version, NEWER))
    run("dpkg-deb", "-Znone", "--build", "--root-owner-group", content, folder / package.name)
    return folder / package.name
