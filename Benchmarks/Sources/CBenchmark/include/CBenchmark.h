// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#pragma once

/// Sends READY=1 to $NOTIFY_SOCKET, as sd_notify(3) does, without a library. Returns 0, or -1 with errno.
int benchmark_notify_ready(void);
