# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The machine and the versions of what was measured."""

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path

PACKAGES = ["redis-server", "nats-server", "dbus-broker", "dbus-daemon", "mosquitto", "libsystemd0", "libc6"]


def _output(*command) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def describe(built: Path) -> list[str]:
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    system = re.search(r'PRETTY_NAME="(.*)"', Path("/etc/os-release").read_text())
    swift = re.search(r"Swift version \S+", _output("swift", "--version"))
    kernel = re.match(r"[0-9.]*[0-9]", platform.release()).group(0)
    versions = [
        f"{package} {found}" for package in PACKAGES
        if (found := _output("dpkg-query", "--show", "--showformat", "${Version}", package))
    ]
    return [
        f"Date: {datetime.date.today().isoformat()}",
        f"CPU: {model.group(1) if model else platform.processor()}, {os.cpu_count()} cores",
        f"System: {system.group(1) if system else 'unknown'}, Linux {kernel} {platform.machine()}",
        f"Compiler: {swift.group(0) if swift else 'unknown'}, release build, static standard library",
        f"Belfry: {_output(str(built / 'belfryd'), '--version').strip()}",
        f"Peers and libraries: {', '.join(versions)}",
    ]
