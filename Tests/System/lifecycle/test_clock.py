# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A real change of the clock and a real sleep, in a separate kernel, so that this machine is not affected."""

import re

import private_kernel
from host_roots import PROJECT

DAEMON = PROJECT / ".build/release/belfryd"
START = f"""
mkfifo /run/log
export RUNTIME_DIRECTORY=/run STATE_DIRECTORY=/run
{DAEMON} --config /dev/null --socket /run/socket 2>/run/log &
daemon=$!
exec </run/log
until_said() {{ while read -r line && echo "$line"; do case $line in *$1*) break ;; esac; done; }}
until_said didBecomeActive
"""
STOP = """
kill $daemon
until_said willTerminate
"""
SET = """
date -s '2030-01-01 12:00:00'
until_said significantTimeChange
date -s '2030-01-01 11:00:00'
until_said significantTimeChange
kill -USR1 $daemon
until_said flushRequested
"""
# A cache is a listener, which asks for the notification. A zone file is missing, so that it is UTC.
CACHE = r"""
printf '[Cache day]\nPath=/run/day\nOn=significantTimeChange\n' >/run/config
"""
MIDNIGHT = """
date -s '2030-01-01 23:59:58'
until_said 'clock set by'
until_said 'a new day'
date
"""
# The alarm of its real-time clock, which counts seconds, wakes it up. The kernel lists how far the clock that goes on during
# a sleep is ahead of the one that does not.
SLEEP = """
echo deep >/sys/power/mem_sleep
echo +10 >/sys/class/rtc/rtc0/wakealarm
echo mem >/sys/power/state
until_said didResume
sed -n '/ktime_get_boottime/ { n; s/.offset:/asleep/p; q }' /proc/timer_list
"""


def test_setting_the_clock_of_a_real_kernel_posts_the_step(tmp_path):
    printed = private_kernel.run(START + SET + STOP, tmp_path, [DAEMON])

    steps = [float(step) for step in re.findall(r"clock set by ([-+][0-9.]+) s", printed)]
    assert len(steps) == 2, printed
    assert steps[0] > 86400 and -3660 < steps[1] <= -3590, printed
    assert "didResume" not in printed and "willTerminate" in printed


def test_midnight_of_a_real_kernel_posts_a_day(tmp_path):
    start = CACHE + START.replace("--config /dev/null", "--config /run/config")

    printed = private_kernel.run(start + MIDNIGHT + STOP, tmp_path, [DAEMON])

    assert re.search(r"a new day\s+(?s:.*)Jan +2 .*00:00:0", printed), printed
    assert printed.count("a new day") == 1 and "didResume" not in printed


def test_sleep_of_a_real_kernel_posts_its_duration(tmp_path):
    printed = private_kernel.run(START + SLEEP + STOP, tmp_path, [DAEMON])

    reported = re.search(r"didResume suspended -> active, .* by the sleep of the machine for (\d+) ms", printed)
    counted = re.search(r"asleep +([0-9]+) nsecs", printed)
    assert reported and counted, printed
    assert abs(int(reported[1]) - int(counted[1]) / 1e6) < 2 and int(reported[1]) > 100, printed
    assert "significantTimeChange" not in printed, printed
