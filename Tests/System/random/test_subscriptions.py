# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A subscriber gets what it asked for, and nothing else, in random lives of a service. The lives are the same in each run: others are
up to subscriptions.py with another seed."""

import subscriptions

EXAMPLES, SEED = 100, 1


def test_each_subscriber_gets_what_it_asked_for(figures):
    figures += [subscriptions.check(EXAMPLES, SEED)]
