# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A test uses the kit, and no other test."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "kit"))
from fixtures import *  # noqa: E402,F403  the hooks and fixtures
