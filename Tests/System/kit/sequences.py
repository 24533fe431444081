# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The notifications, in order, for each change of state."""

PAUSE = ["willResignActive", "didEnterBackground"]
CONTINUE = ["willEnterForeground", "didBecomeActive"]
STOP = [*PAUSE, "willTerminate"]
