# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""SIGRTMIN+18 with a value, as for systemd's own services: sent by `kill -q`, and by `systemctl kill` if it can."""

import xml.etree.ElementTree as ElementTree

import pytest
from control_signal import SENDERS


@pytest.fixture(params=SENDERS, ids=lambda sender: f"{sender[0]}-{sender[1].__name__}")
def control(request):
    """A started service, and a way to send it a value."""
    host, send = request.param
    belfry = request.getfixturevalue(host)
    belfry.reset()
    belfry.start()
    # It has finished its start, and answers.
    belfry.ctl("status")
    return belfry, lambda value: send(belfry, value)


def messages(belfry) -> list[str]:
    return [record["MESSAGE"] for record in belfry.journal() if record.get("SYSLOG_IDENTIFIER") == "belfryd"]


def record_of(belfry, beginning: str) -> dict:
    """The first record of the service that begins with this text; waits for it."""

    def records() -> list[dict]:
        return [r for r in belfry.journal() if r["MESSAGE"].startswith(beginning) and "BELFRY_ORIGIN" in r]

    belfry.wait_for(lambda: records(), f"log '{beginning}' with its origin")
    return records()[-1]


def flush(belfry, subscriber) -> None:
    """Causes a notification, and waits for it. Signals with higher numbers that were sent before may still be pending."""
    belfry.kill("USR1")
    subscriber.until("flushRequested")


def logs_a_flush(belfry, subscriber) -> bool:
    def logged() -> int:
        return sum(line.startswith("flushRequested") for line in messages(belfry))

    before = logged()
    flush(belfry, subscriber)
    return logged() > before


def test_0x100_and_the_level_set_the_log_level(control):
    belfry, send = control
    subscriber = belfry.subscribe()
    belfry.wait_for(lambda: logs_a_flush(belfry, subscriber), "log")

    # Of two signals that wait the lower number comes first, whichever was sent first (signal(7)).
    send(0x104)
    belfry.wait_for(lambda: not logs_a_flush(belfry, subscriber), "fall silent")
    send(0x107)
    belfry.wait_for(lambda: logs_a_flush(belfry, subscriber), "log again")


def test_0x200_0x201_and_0x203_set_the_log_target(control):
    belfry, send = control
    subscriber = belfry.subscribe()

    send(0x203)
    silent = "log target is to be null, asked by SIGRTMIN+18 from pid "
    belfry.wait_for(lambda: messages(belfry)[-1].startswith(silent), "confirm the target")
    flush(belfry, subscriber)
    assert messages(belfry)[-1].startswith(silent)

    def lines() -> list[dict]:
        return [record for record in belfry.journal() if " info belfryd: flushRequested" in record["MESSAGE"]]

    def lines_after_a_flush() -> list[dict]:
        flush(belfry, subscriber)
        return lines()

    # Standard error is connected to the journal here, which stores its lines without fields.
    send(0x200)
    belfry.wait_for(lines_after_a_flush, "log to standard error")
    before = len(lines())
    flush(belfry, subscriber)
    belfry.wait_for(lambda: len(lines()) > before, "log to standard error again")
    assert len(lines()) == before + 1 and not any("BELFRY_NOTIFICATION" in line for line in lines())

    def last_is_a_flush() -> bool:
        flush(belfry, subscriber)
        return belfry.notifications()[-1]["BELFRY_NOTIFICATION"] == "flushRequested"

    send(0x201)
    belfry.wait_for(last_is_a_flush, "log again")


def test_0x300_is_a_memory_warning(control):
    belfry, send = control
    subscriber = belfry.subscribe()

    send(0x300)

    warning = subscriber.next()
    assert warning["name"] == "didReceiveMemoryWarning"
    assert warning["userInfo"] == {"level": "some"}
    assert (warning["origin"]["signal"], warning["origin"]["value"]) == ("SIGRTMIN+18", 0x300)


def test_0x301_logs_the_statistics_of_the_allocator(control):
    belfry, send = control
    subscriber = belfry.subscribe()

    send(0x301)
    flush(belfry, subscriber)

    dump = next(line for line in messages(belfry) if line.startswith("heap: "))
    summary, _, details = dump.partition("\n")
    assert int(summary.split()[1]) > 0
    assert ElementTree.fromstring(details).tag == "malloc"


@pytest.mark.parametrize(
    "value, text",
    [
        (0x103, "log level is now err, "),
        (0x203, "log target is to be null, "),
        (0x301, "heap: "),
        (0x404, "unknown control value 0x404, "),
    ],
    ids=lambda value: f"{value:#x}" if isinstance(value, int) else "",
)
def test_record_names_the_sender(control, value, text):
    belfry, send = control

    send(value)

    record = record_of(belfry, text)
    assert (record["BELFRY_ORIGIN"], record["BELFRY_SIGNAL"]) == ("signal", "SIGRTMIN+18")
    assert record["BELFRY_SIGNAL_VALUE"] == str(value)
    assert int(record["BELFRY_SENDER_PID"]) > 0 and record["BELFRY_SENDER_UID"] == "0"


def test_change_of_the_target_is_logged_at_every_level(control):
    belfry, send = control

    send(0x103)
    send(0x203)

    assert record_of(belfry, "log target is to be null, ")["BELFRY_SIGNAL_VALUE"] == str(0x203)
