# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The tests of a fleet use the kit of Belfry's own system tests, and one of theirs."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "kit"), str(HERE.parents[2] / "Tests/System/kit")]
from fixtures import *  # noqa: E402,F403  the hooks and fixtures
from fleet_fixtures import *  # noqa: E402,F403
import documentation  # noqa: E402

documentation.PAGES.extend(sorted((HERE.parents[2] / "Fleet/docs").rglob("*.md")))
