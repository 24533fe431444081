# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Text that is expensive to read, compare or print, and extreme numbers, in every field of every request, from any user and
from a member of the service's group."""

import hostile_text
import pytest
from bystanders import unharmed
from hostile_clients import assail

KINDS = ["marks", "escapes", "nested", "empty_arrays", "duplicates", "members", "forged"]


@pytest.mark.parametrize("kind", KINDS)
def test_text_in_every_field(started, figures, kind):
    payloads = hostile_text.requests(started, getattr(hostile_text, kind))
    with unharmed(started, figures, f"{len(payloads)} requests with {kind}"):
        for privileged in (False, True):
            done = assail(started, payloads, len(payloads), privileged=privileged, read=True)
            print(done)


def test_numbers_in_every_field(started, figures):
    payloads = [one for number in hostile_text.NUMBERS for one in hostile_text.requests(started, lambda _: number.encode())]
    with unharmed(started, figures, f"{len(payloads)} requests with numbers"):
        for first in range(0, len(payloads), 500):
            some = payloads[first : first + 500]
            assail(started, some, len(some), privileged=True, read=True)
