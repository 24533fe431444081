#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A video recorder that does not want its configuration changed while it records, and wants to finish before a stop.

Usage: recorder.py SOCKET FINISH
It refuses every reload while it records, which is always, and takes FINISH seconds to close its file when the service
stops. Kill it in the middle of that: the service goes on at once.
"""

import sys
import time

from belfry_listener import Listener


def main(path: str, finish: float) -> None:
    listener = Listener(path, "recorder", ["willReload", "didFailToReload", "willTerminate"], deadline=finish + 5)
    print("recording", flush=True)
    for token, notification in listener:
        print(notification["name"], flush=True)
        if notification["name"] == "willReload":
            listener.answer(token, "refused", "a recording is under way")
            continue
        if notification["name"] == "willTerminate":
            close(listener, token, finish)
            print("file closed", flush=True)
        listener.answer(token)


def close(listener: Listener, token: str, seconds: float) -> None:
    """Takes so long, and says so, so that the stop is not cut."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        listener.progress(token, f"closing the file, {left:.0f} s left", within=2)
        time.sleep(min(left, 1))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
