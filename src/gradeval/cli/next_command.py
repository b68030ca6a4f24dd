"""A command for the same files and options, spelled so that one can type it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import click

from gradeval.cli.given_options import TYPED
from gradeval.cli.help_sections import STUDIED
from gradeval.cli.reading import READ


def spell_again(words: str, files: Sequence[str]) -> str | None:
    """Another command for these files, with the options of the command at hand that say what is read and studied.

    ``words``: its name and its own options. None where it lacks one of those options, so that it would
    compute other numbers.
    """
    context = click.get_current_context()
    name, *more = words.split()
    group = context.find_root().command
    other = group.get_command(context, name) if isinstance(group, click.Group) else None
    if other is None:
        return None
    able = {one.name for one in other.params}
    given: dict[str, list[Any]] = context.meta[TYPED]
    asked = [one for one in context.command.params if one.name in given and one.name in {*STUDIED, *READ}]
    options = [one for one in asked if isinstance(one, click.Option)]
    if any(one.name not in able for one in options):
        return None
    typed = [
        word
        for one in options
        for value in dict.fromkeys(given[str(one.name)])
        for word in ([one.opts[0]] if one.is_flag else [one.opts[0], str(value)])
    ]
    return shlex.join(["gradeval", name, *files, *typed, *more])
