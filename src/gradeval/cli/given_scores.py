"""Files of scores, and files with a name before them, that stand where judgments and runs belong: what to type."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress

import click

from gradeval._core import InputError

PLACES = ("qrels", "run_files", "runs", "run", "places")
"""The arguments of commands that are judgments and runs, and no scores."""


def about_scores(ctx: click.Context) -> InputError | None:
    """The error for files of scores among the judgments and runs of a command that failed, or for names before files;
    None: there are none."""
    files: list[str] = []
    for argument in ctx.command.params:
        if isinstance(argument, click.Argument) and argument.name in PLACES:
            value = ctx.params.get(argument.name) or ()
            files += [value] if isinstance(value, str) else value
    may_be: int = getattr(ctx.command, "scored", 0)  # the last files of a gate
    scores = [file for file in files[: len(files) - may_be] if _holds_scores(file)]
    if not scores:
        return _about_names(files)
    takes = any("--scores" in one.opts for one in ctx.command.params)
    command = ctx.command_path if takes else "gradeval compare"
    given = ctx.params.get("scores") or () if takes else ()
    options = " ".join(f"--scores {shlex.quote(file)}" for file in dict.fromkeys([*given, *scores]))
    return InputError(f"{scores[0]}: holds scores by topic, neither judgments nor a run; write: {command} {options}")


def _about_names(files: list[str]) -> InputError | None:
    """The error for NAME=FILE where files stand without names."""
    named = [file for file in files if _part_of_name(file)[0]]
    if not named:
        return None
    name, place = _part_of_name(named[0])
    ending = os.path.splitext(place)[1]
    without = " ".join(shlex.quote(_part_of_name(file)[1]) for file in named)
    return InputError(
        f"{named[0]}: judgments and runs have no name before their file; write: {without}; a run without a name in its "
        f"file is called by it: to call one {name}, rename its file {name}{ending}"
    )


def _part_of_name(text: str) -> tuple[str, str]:
    """The name and the file of NAME=FILE; no name where the whole text is a place."""
    name, _, place = text.partition("=")
    is_named = name != "" and {*name}.isdisjoint(":/,") and not os.path.exists(text) and os.path.isfile(place)
    return (name, place) if is_named else ("", text)


def _holds_scores(text: str) -> bool:
    """Is it such a file, or MEASURE=FILE, whose columns are systems?"""
    from gradeval.formula.spelling import parse_measure
    from gradeval.scores.score_files import holds_scores  # here, as commands seldom fail

    name, place = _part_of_name(text)
    with suppress(InputError, OSError):  # the command says what is wrong with it
        if not name:
            return holds_scores(text)
        if holds_scores(place):
            return True
        parse_measure(name)
        return True
    return False
