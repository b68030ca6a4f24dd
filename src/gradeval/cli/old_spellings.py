"""Spellings of commands from before the first release: they keep working until then, and say what to type instead."""

from __future__ import annotations

from collections.abc import Sequence

OPTIONS = {
    ("correlate", "--grid"): ("correlate-users", "--step"),
    ("correlate", "--gains"): ("correlate-gains", "--gains"),
    ("inform", "--grid"): ("inform-users", "--step"),
}
"""An option that made a command another study, and that study with its option."""
COMMANDS = {("simulate", "users"): "virtual-users", ("simulate", "swaps"): "swaps"}
"""A command below another one, and what it is now."""


def modern(words: Sequence[str]) -> tuple[list[str], str]:
    """The words of a command line as they are spelled now, and a note where they were old; else no note."""
    if tuple(words[:2]) in COMMANDS:
        command = COMMANDS[words[0], words[1]]
        return [command, *words[2:]], f"note: {words[0]} {words[1]} is now gradeval {command}"
    for place, word in enumerate(words):
        option, sign, value = word.partition("=")
        if (words[0], option) in OPTIONS:
            command, name = OPTIONS[words[0], option]
            rest = [*words[1:place], name + sign + value, *words[place + 1 :]]
            return [command, *rest], f"note: {words[0]} {option} is now gradeval {command} {name}"
    return list(words), ""
