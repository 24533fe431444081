# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What a test at random finds."""


class Fault(Exception):
    """Something that the service must never do."""
