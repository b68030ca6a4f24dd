"""The options of estimates from few human and many model grades, and the scores that they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar

import click

from gradeval._core import InputError
from gradeval.cli.options.options import FILE, note_unused, refuse_unused

TopicsAre: TypeAlias = Literal["sample", "all"]
"""As in ``studies.assisted``, which evaluating without a model does not import."""

F = TypeVar("F", bound=Callable[..., Any])


def assisted_options(command: F) -> F:
    """The options --assisted-by and --topics-are."""
    topics = click.option(
        "--topics-are",
        type=click.Choice(["sample", "all"]),
        default="sample",
        show_default=True,
        help="What the topics of --assisted-by are: a sample of those of interest, or all of them.",
    )
    model = click.option(
        "--assisted-by",
        type=FILE,
        metavar="MODEL.QRELS",
        help="A model's grades of these topics and more: QRELS are then the human grades of a random sample of them.",
    )
    return model(topics(command))


def require_assisted(assisted_by: str | None, unused: tuple[str, ...]) -> list[str]:
    """The file of the model's grades, if there is one. Refuses options that do nothing beside --assisted-by, and tells
    of --topics-are without it."""
    if assisted_by is None:
        note_unused(["topics_are"], "says what the topics of --assisted-by are, and there is none")
        return []
    refuse_unused(unused, "does nothing beside --assisted-by")
    return [assisted_by]


def name_model(error: InputError, assisted_by: str) -> InputError:
    """An error about a model's grades, with their file."""
    text = str(error).removeprefix(f"{assisted_by}: ")
    return InputError(f"--assisted-by {assisted_by}: {text}")
