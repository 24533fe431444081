# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Users of a host in whose name a command runs."""


def as_user(user: str, *groups: str) -> list[str]:
    """What stands in front of a command that this user runs as a member of these groups. It ends with its parent: the change
    of the user has cleared what `SystemdHost.running` asked of the kernel (PR_SET_PDEATHSIG in prctl(2))."""
    member = f"--groups={','.join(groups)}" if groups else "--clear-groups"
    return ["setpriv", "--pdeathsig=KILL", f"--reuid={user}", "--regid=nogroup", member]


# May only look.
STRANGER = as_user("nobody")
# In the group of the service.
MEMBER = as_user("nobody", "belfry")
# The user of the service.
ITSELF = as_user("belfry")
