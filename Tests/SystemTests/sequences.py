# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What is told, in order, of each way from one state to another."""

PAUSE = ["willResignActive", "didEnterBackground"]
CONTINUE = ["willEnterForeground", "didBecomeActive"]
STOP = [*PAUSE, "willTerminate"]
