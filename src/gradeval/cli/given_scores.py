"""Files of scores that stand where judgments and runs belong: what to type instead."""

from __future__ import annotations

import shlex

import click

from gradeval._core import InputError

PLACES = ("qrels", "run_files", "runs", "run", "places")
"""The arguments of commands that are judgments and runs, and no scores."""


def about_scores(ctx: click.Context) -> InputError | None:
    """The error for files of scores among the judgments and runs of a command that failed; None: there are none."""
    files: list[str] = []
    for argument in ctx.command.params:
        if isinstance(argument, click.Argument) and argument.name in PLACES:
            value = ctx.params.get(argument.name) or ()
            files += [value] if isinstance(value, str) else value
    scores = [file for file in files if _holds_scores(file)]
    if not scores:
        return None
    takes = any("--scores" in one.opts for one in ctx.command.params)
    command = ctx.command_path if takes else "gradeval compare"
    given = ctx.params.get("scores") or () if takes else ()
    options = " ".join(f"--scores {shlex.quote(file)}" for file in dict.fromkeys([*given, *scores]))
    return InputError(f"{scores[0]}: holds scores by topic, neither judgments nor a run; write: {command} {options}")


def _holds_scores(place: str) -> bool:
    from gradeval.scores.score_files import holds_scores  # here, as commands seldom fail

    try:
        return holds_scores(place)
    except (InputError, OSError):  # the command says what is wrong with it
        return False
