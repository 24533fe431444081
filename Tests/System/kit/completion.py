# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What bash completes with the installed script."""

# What bash does on Tab (bash(1), «Programmable Completion»), for a word that begins with the first argument.
TAB = """
source /usr/share/bash-completion/completions/belfryctl
COMP_WORDS=(belfryctl "${@:2}" "$1") COMP_CWORD=$# COMP_LINE="belfryctl ${*:2} $1"
COMP_POINT=${#COMP_LINE}
[[ $(complete -p belfryctl) =~ -F\\ ([^ ]+) ]] && "${BASH_REMATCH[1]}" belfryctl "$1" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def tab(belfry, word: str, *before: str) -> list[str]:
    """The completions that the installed script offers for a word after others."""
    return belfry.host.run("bash", "-c", TAB, "bash", word, *before).stdout.split()
