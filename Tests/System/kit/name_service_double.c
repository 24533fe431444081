// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A module of the name service (nsswitch.conf(5)) in place of a directory server. It knows the groups in the file "group",
// which has the format of group(5), and no users. As long as the file "away" exists it does not answer, as a server that is
// out of reach.

#define _GNU_SOURCE

#include <errno.h>
#include <grp.h>
#include <nss.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "/etc/name-service-double/"

static enum nss_status not_found(int *error) {
    while (access(FOLDER "away", F_OK) == 0) usleep(20000);
    *error = ENOENT;
    return NSS_STATUS_NOTFOUND;
}

enum nss_status _nss_double_getgrnam_r(const char *name, struct group *entry, char *buffer, size_t size, int *error) {
    not_found(error);
    FILE *file = fopen(FOLDER "group", "re");
    if (!file) return NSS_STATUS_UNAVAIL;
    struct group *found = NULL;
    while (fgetgrent_r(file, entry, buffer, size, &found) == 0 && strcmp(entry->gr_name, name) != 0) found = NULL;
    fclose(file);
    return found ? NSS_STATUS_SUCCESS : NSS_STATUS_NOTFOUND;
}

enum nss_status _nss_double_getgrgid_r(gid_t gid, struct group *entry, char *buffer, size_t size, int *error) {
    (void) gid, (void) entry, (void) buffer, (void) size;
    return not_found(error);
}

enum nss_status _nss_double_getpwnam_r(const char *name, struct passwd *entry, char *buffer, size_t size, int *error) {
    (void) name, (void) entry, (void) buffer, (void) size;
    return not_found(error);
}

enum nss_status _nss_double_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size, int *error) {
    (void) uid, (void) entry, (void) buffer, (void) size;
    return not_found(error);
}

// systemd asks this for the user of each unit, and would wait too.
enum nss_status _nss_double_initgroups_dyn(
    const char *user, gid_t group, long *start, long *size, gid_t **groups, long limit, int *error) {
    (void) user, (void) group, (void) start, (void) size, (void) groups, (void) limit;
    *error = ENOENT;
    return NSS_STATUS_NOTFOUND;
}
