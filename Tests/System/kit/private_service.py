# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A belfryd that a test runs without systemd, in a folder of its own."""

import os
from pathlib import Path

from host_roots import PROJECT

DAEMON = PROJECT / ".build/release/belfryd"


class PrivateService:
    """The folder, and what starts a process there."""

    def __init__(self, folder: Path, configuration: str = ""):
        self.folder, self.runtime, self.state = folder, folder / "run", folder / "state"
        self.path = self.runtime / "io.belfry.Lifecycle"
        for directory in (self.runtime, self.state):
            directory.mkdir()
        (folder / "belfry.conf").write_text(configuration)
        self.options = ["--config", str(folder / "belfry.conf"), "--socket", str(self.path)]
        directories = {"RUNTIME_DIRECTORY": str(self.runtime), "STATE_DIRECTORY": str(self.state)}
        self.environment = {"PATH": os.environ["PATH"], "SWIFT_BACKTRACE": "enable=no", **directories}
