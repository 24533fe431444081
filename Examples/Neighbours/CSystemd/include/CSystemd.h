// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#ifndef OWN_C_SYSTEMD_H
#define OWN_C_SYSTEMD_H

int own_listen_fds(void);

#endif
