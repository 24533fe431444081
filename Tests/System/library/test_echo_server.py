# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The example Examples/EchoServer: its clients stay connected while it is restarted, killed and stopped."""

import select

import pytest
from example import installed

UNIT = "echo-server.service"
# Sends each line that it reads to the server, and prints the answer.
CLIENT = 'exec 3<>/dev/tcp/127.0.0.1/7007 && while read -r line; do echo "$line" >&3; read -r back <&3; echo "$back"; done'


@pytest.fixture
def echo(on_each):
    """The example as its README says, with its socket unit started."""
    with installed(on_each.host, "EchoServer", "EchoServer") as unit:
        yield unit


def say(client, text: str) -> str:
    """Sends a line and returns the answer."""
    client.stdin.write(f"{text}\n")
    client.stdin.flush()
    return client.stdout.readline()


def test_clients_stay_connected_through_a_restart_and_a_crash(echo):
    with echo.host.running("bash", "-c", CLIENT) as first, echo.host.running("bash", "-c", CLIENT) as second:
        assert (say(first, "one"), say(second, "two")) == ("one\n", "two\n")
        pid = echo.main_pid()

        for _ in range(3):
            echo.host.systemctl("restart", UNIT)
            assert (say(first, "again"), say(second, "and again")) == ("again\n", "and again\n")
        assert echo.main_pid() != pid
        assert echo.property("NFileDescriptorStore") == "2"

        echo.host.systemctl("kill", "--signal=KILL", UNIT)
        assert say(first, "after a crash") == "after a crash\n"

        second.stdin.close()
        second.wait(20)
        echo.wait_for(lambda: echo.property("NFileDescriptorStore") == "1", "remove the client that left")
        assert say(first, "still here") == "still here\n"


def test_clients_wait_in_a_pause(echo):
    def state() -> str:
        return [line for line in echo.messages() if " -> " in line][-1].split(",")[0]

    with echo.host.running("bash", "-c", CLIENT) as first:
        assert say(first, "one") == "one\n"
        echo.kill("TSTP")
        echo.wait_for(lambda: "-> background" in state(), "pause")

        with echo.host.running("bash", "-c", CLIENT) as second:
            for client in (first, second):
                client.stdin.write("waits\n")
                client.stdin.flush()
            # Nobody has answered, though both are connected: the service is idle.
            echo.host.run("sleep", "0.3")
            assert select.select([first.stdout, second.stdout], [], [], 0)[0] == []
            echo.kill("CONT")

            assert (first.stdout.readline(), second.stdout.readline()) == ("waits\n", "waits\n")
