# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A shell of a host at a terminal, in which a test types."""

import os
import select
import subprocess
import time

from systemd_host import CLEAN, SystemdHost

HOME = "/run/typed"
PROMPT = "type here:"
# How each shell is set up. The last one finds the completions by itself.
SET_UP = {
    "bash": (".bashrc", f"PS1='{PROMPT}'; source /usr/share/bash-completion/completions/belfryctl\n"),
    "zsh": (".zshrc", f"PS1='{PROMPT}'; autoload -U compinit; compinit -u -D\n"),
    "fish": (".config/fish/config.fish", f"function fish_prompt; printf '{PROMPT}'; end\nset fish_greeting\n"),
}
# Stands for belfryctl: answers the completion scripts, and writes down any other command line.
STAND_IN = f"""#!/bin/sh
case $1 in ---completion) exec /usr/bin/belfryctl "$@" ;; esac
printf '%s\\n' "$@" >{HOME}/new && mv {HOME}/new {HOME}/words
"""


class TypedShell:
    """The shell ends with the block."""

    def __init__(self, host: SystemdHost, shell: str):
        self.host = host
        file, text = SET_UP[shell]
        host.write(f"{HOME}/{file}", text)
        host.write(f"{HOME}/bin/belfryctl", STAND_IN)
        host.path(f"{HOME}/bin/belfryctl").chmod(0o755)
        # Without this directory fish makes completions from all manuals in the background.
        host.run("mkdir", "-p", f"{HOME}/.local/share/fish/generated_completions")
        self.words = host.path(f"{HOME}/words")
        self.terminal, end = os.openpty()
        environment = [f"HOME={HOME}", f"PATH={HOME}/bin:{CLEAN['PATH']}", "TERM=xterm", "LANG=C.UTF-8"]
        command = host.enter("setsid", "--ctty", "--wait", "setpriv", "--pdeathsig", "KILL")
        command += ["env", "-i", *environment, shell, "-i"]
        self.process = subprocess.Popen(command, stdin=end, stdout=end, stderr=end)
        os.close(end)
        self.screen = b""

    def __enter__(self) -> "TypedShell":
        return self

    def __exit__(self, *_) -> None:
        # The shell ends with its terminal.
        os.close(self.terminal)
        self.process.wait(30)
        self.host.run("rm", "-rf", HOME)

    def command(self, keys: str) -> list[str]:
        """Types the keys and Return at the next prompt, and returns the arguments that belfryctl gets."""
        self.words.unlink(missing_ok=True)
        self.wait_for(lambda: PROMPT.encode() in self.screen, "show its prompt")
        self.screen = b""
        os.write(self.terminal, f"{keys}\r".encode())
        self.wait_for(self.words.exists, f"run '{keys}'")
        return self.words.read_text().splitlines()

    def wait_for(self, question, what: str) -> None:
        deadline = time.monotonic() + 30
        while not question():
            assert time.monotonic() < deadline, f"the shell did not {what}: {self.screen.decode(errors='replace')}"
            if select.select([self.terminal], [], [], 0.02)[0]:
                self.screen += os.read(self.terminal, 1 << 16)
