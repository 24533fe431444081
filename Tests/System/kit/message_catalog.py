# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The message catalogue, which explains each kind of record, and the fields that a record must have."""

import re

CATALOGS = "usr/lib/systemd/catalog"


def catalog(host) -> dict[str, set[str]]:
    """The fields that each entry names, by its id."""
    text = "\n".join(path.read_text() for path in sorted(host.path(f"/{CATALOGS}").glob("belfry*.catalog")))
    entries = re.split(r"^-- ([0-9a-f]{32})$", text, flags=re.MULTILINE)[1:]
    return {i: set(re.findall("@([A-Z_]+)@", entry)) for i, entry in zip(entries[::2], entries[1::2], strict=True)}


def fields_of(record: dict) -> set[str]:
    """The fields that a record has because of others: see the table in docs/operations.md."""
    if "LOGGER" in record:
        # It is a program's own, logged with swift-log.
        return set()
    fields = {"BELFRY_ORIGIN"}
    if record.get("BELFRY_ORIGIN") == "signal":
        fields |= {"BELFRY_SIGNAL"}
    if record.get("BELFRY_ORIGIN") != "service":
        fields |= {"BELFRY_SENDER_PID", "BELFRY_SENDER_UID"}
    if "BELFRY_NOTIFICATION" in record or "BELFRY_TIMELINE" in record:
        fields |= {"BELFRY_SEQUENCE", "BELFRY_STATE", "BELFRY_PREVIOUS_STATE"}
    if "BELFRY_OUTCOME" in record:
        fields |= {"BELFRY_LISTENER", "BELFRY_DURATION_USEC"}
    return fields | ({"BELFRY_DURATION_USEC"} if "BELFRY_TIMELINE" in record else set())


def check_records(records: list[dict], entries: dict[str, set[str]]) -> None:
    """Each record is of a kind that is explained, and has the fields that the explanation names."""
    for record in records:
        assert record.get("MESSAGE_ID") in entries, record
        assert entries[record["MESSAGE_ID"]] | fields_of(record) <= record.keys(), record
