# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A pause with `StopOnPause=yes` together with other events."""

STOP_ON_PAUSE = "[Service]\nStopOnPause=yes\n"


def test_pause_stops_the_process_even_if_a_reload_comes_during_it(on_each):
    on_each.configure(STOP_ON_PAUSE)
    on_each.start()
    with on_each.connect() as program, on_each.connect() as answers:
        program.attach("saver", "didEnterBackground", "willReload")

        on_each.kill("TSTP")
        pause = program.reply()
        on_each.kill("HUP")
        answers.call("Answer", {"token": pause["token"], "outcome": "completed"})
        reload = program.reply()
        assert reload["notification"]["name"] == "willReload"
        assert answers.call("GetState")["state"] == "background"
        answers.call("Answer", {"token": reload["token"], "outcome": "completed"})

        on_each.wait_until_stopped()


def start_frail(probe) -> None:
    """Starts a service with a watchdog, and makes it unhealthy."""
    probe.host.write("/run/belfry-probe.conf", STOP_ON_PAUSE)
    probe.start("frail /run/belfry-probe.conf", WatchdogSec="2s", Restart="no")
    probe.kill("USR1")


def test_pauses_give_an_unhealthy_service_no_more_time(probe):
    start_frail(probe)

    def ends() -> bool:
        for signal in ("TSTP", "CONT"):
            probe.host.systemctl("kill", "--kill-who=main", f"--signal={signal}", probe.name, check=False)
        return probe.property("ActiveState") == "failed"

    probe.wait_for(ends, "be ended by the watchdog")
    assert probe.property("Result") == "watchdog"


def test_pause_of_an_unhealthy_service_does_not_stop_the_watchdog(probe):
    start_frail(probe)
    # It may have been ended before.
    probe.host.systemctl("kill", "--kill-who=main", "--signal=TSTP", probe.name, check=False)

    probe.wait_for(lambda: probe.property("ActiveState") == "failed", "be ended by the watchdog")
    assert probe.property("Result") == "watchdog"
