# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Text that is expensive to read, compare or print, in every field of every request, from any user and from a member of
the service's group."""

import hostile_text
import pytest
from bystanders import unharmed
from hostile_clients import assail
from varlink_methods import methods

KINDS = ["marks", "escapes", "nested", "empty_arrays", "duplicates", "members", "forged"]


@pytest.mark.parametrize("kind", KINDS)
def test_text_in_every_field(started, figures, kind):
    fill = getattr(hostile_text, kind)
    with started.connect() as client:
        all_methods, types = methods(client)
    # They would disturb the bystanders.
    harmless = [method for method in all_methods if not method.name.endswith((".Pause", ".Interrupt"))]
    payloads = [*hostile_text.of_header(fill), *hostile_text.of_parameters(harmless, types, fill)]

    with unharmed(started, figures, f"{len(payloads)} requests with {kind}"):
        for privileged in (False, True):
            done = assail(started, payloads, len(payloads), privileged=privileged, read=True)
            print(done)
