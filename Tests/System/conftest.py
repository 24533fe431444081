# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""All tests use the kit, and some use each other."""

import sys
from pathlib import Path

sys.path[:0] = [str(folder) for folder in sorted(Path(__file__).parent.iterdir()) if folder.is_dir()]
from fixtures import *  # noqa: E402,F403  the hooks and fixtures
