// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Runs one of the services of the documentation, which the variable `SAMPLE` names. Their own main.swift has the body of such a
// function at its top level.

import Glibc

let services = [
    "blinkd": blinkd, "cached": cached, "camerad": camerad, "logged": logged, "measured": measured, "stored": stored,
    "thumbd": thumbd, "videod": videod, "videodWithSocket": videodWithSocket,
]

services[getenv("SAMPLE").map { String(cString: $0) } ?? ""]?()
exit(EX_USAGE)
