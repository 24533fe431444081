// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#pragma once

#include <signal.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
