"""Options of the commands written by hand are the parameters of the functions that they call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import pytest

from gradeval import evaluate, judge, read_qrels, read_runs
from gradeval.cli.commands import crossval, report_command, train
from gradeval.cli.commands import evaluate as evaluate_command
from gradeval.cli.declared_options import declared_by
from gradeval.ltr import CrossValidation, Ranker
from gradeval.page.report import report

from .conftest import Gradeval, refusal

CALLED: dict[str, tuple[click.Command, tuple[Callable[..., Any], ...], set[str]]] = {
    "evaluate": (
        evaluate_command.command,
        (judge, evaluate, read_qrels, read_runs),
        set("preset missing empty ties negative depth threads levels recode shift names columns".split()),
    ),
    "report": (
        report_command.command,
        (report,),
        set("baseline studies seed show_runs show_depth model features compare_with".split()),
    ),
    "train": (train.command, (Ranker.fit,), {"resume", "validate_by", "init_model"}),
    "crossval": (
        crossval.command,
        (crossval.crossval, CrossValidation.table),
        set("validate_by folds empty seeds baseline alpha jobs work".split()),
    ),
}
"""Of some commands: what they call, and which of its parameters are options."""
OTHER = {"jobs": 0, "levels": None, "recode": None}
"""Defaults of commands that differ from those of Python: all cores, and what is given several times."""


@pytest.mark.parametrize("name", CALLED)
def test_help_and_default_are_those_of_the_function(name: str) -> None:
    command, functions, shared = CALLED[name]
    declared = declared_by(*functions)
    options: dict[str, Any] = {str(one.name): one for one in command.params if isinstance(one, click.Option)}
    for one in shared:
        assert declared[one].help, one
        assert options[one].help.startswith(declared[one].help), one
        wanted = OTHER.get(one, declared[one].default)
        assert options[one].get_default(click.Context(command)) in (wanted, ()), one


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--missing none", "--missing none is not 'zero', 'skip' or 'common'"),
        ("--depth 0", "--depth 0 is not a whole number of ranks from 1"),
        ("--depth 1.5", "--depth 1.5 is not a whole number of ranks from 1"),
        ("--threads -1", "--threads -1 is not a number of threads from 1, or 0 for all cores"),
        ("--shift inf", "--shift inf is not a finite number"),
        ("--names tags", "--names tags is not 'tag' or 'file'"),
    ],
)
def test_a_wrong_value_is_refused_in_the_words_of_the_library(gradeval: Gradeval, typed: str, said: str) -> None:
    assert refusal(gradeval("evaluate", "q.txt", "r.txt", *typed.split())).rstrip() == said


def test_what_a_report_shows_is_checked_as_it_declares(gradeval: Gradeval) -> None:
    said = refusal(gradeval("report", "q.txt", "r.txt", "--show-depth", "0"))
    assert said.rstrip() == "--show-depth 0 is not a whole number from 1"
