"""What is trained, on what and how: the options that ``train`` and ``crossval`` share."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click
import numpy as np

from gradeval._core import InputError
from gradeval.cli.notices import tell
from gradeval.cli.progress import PATIENCE, progress_bar
from gradeval.formats.letor import read_letor

if TYPE_CHECKING:
    from gradeval.features import Features
    from gradeval.ltr import Objective, Ranker

F = TypeVar("F", bound=Callable[..., Any])

RANKERS = {"linear": "LinearRanker", "neural": "NeuralRanker", "tree": "TreeRanker"}
OBJECTIVE = ("sigma", "truncation", "estimator")  # what belongs to the objective, not to the ranker
OPTIONS = (
    "epochs patience learning_rate sigma truncation estimator scaling queries hidden activation device leaves min_rows "
    "l2 subsample norm"
).split()
ENGINES = ("torch", "lightgbm", "safetensors")


def ranker_options(command: F) -> F:
    """The options that say which ranker is trained and how."""
    for decorate in reversed(_options()):
        command = decorate(command)
    return command


def _options() -> list[Callable[[Any], Any]]:
    def number(name: str, kind: Any, what: str) -> Callable[[Any], Any]:
        return click.option(name, type=kind, metavar="N" if isinstance(kind, click.IntRange) else "X", help=what)

    some, share = click.IntRange(1), click.FloatRange(0, min_open=True)
    return [
        click.option(
            "--ranker", type=click.Choice(list(RANKERS)), default="linear", show_default=True, help="Its kind."
        ),
        number("--epochs", some, "Epochs, or trees, at most.  [default: 300; tree: 500]"),
        number("--patience", some, "Stop after so many without a better validation.  [default: 50]"),
        number("--learning-rate", share, "Of Adam, or of trees.  [default: 0.01; tree: 0.05]"),
        number("--sigma", share, "Steepness for lambdarank, noise of scores for softrank.  [default: 1]"),
        number("--truncation", some, "lambdarank: only pairs with one of the first N.  [default: all]"),
        click.option(
            "--estimator",
            type=click.Choice(["plugin", "expected"]),
            help="softrank: its expectation.  [default: plugin]",
        ),
        click.option(
            "--scaling",
            type=click.Choice(["z-score", "min-max", "none"]),
            help="Of features, fitted on the training data.  [default: z-score; tree: none]",
        ),
        number("--queries", some, "linear, neural: queries in a batch.  [default: 16]"),
        number("--hidden", some, "neural: hidden units.  [default: 10]"),
        click.option("--activation", type=click.Choice(["tanh", "relu"]), help="neural: theirs.  [default: tanh]"),
        click.option("--device", type=click.Choice(["cpu", "cuda"]), help="linear, neural.  [default: cpu]"),
        number("--leaves", click.IntRange(2), "tree: leaves of a tree at most.  [default: 7]"),
        number("--min-rows", some, "tree: documents in a leaf at least.  [default: 50]"),
        number("--l2", click.FloatRange(0), "tree: added to the hessian of a leaf.  [default: 0]"),
        number("--subsample", click.FloatRange(0, 1, min_open=True), "tree: share of queries it sees.  [default: 0.6]"),
        click.option("--norm", is_flag=True, default=None, help="tree: normalise the gradients of each query."),
    ]


@dataclass(frozen=True)
class Settings:
    """What the user asked of the ranker, as the options of ``ranker_options`` have it; None: nothing was said."""

    ranker: str
    given: dict[str, Any]

    @classmethod
    def of(cls, options: dict[str, Any]) -> Self:
        """Take what belongs here out of the options of a command; what has no effect is refused."""
        kind = options.pop("ranker")
        given = {name: value for name in OPTIONS if (value := options.pop(name)) is not None}
        asked = cls(kind, given)
        known = {each.name for each in fields(asked.type) if each.init} | set(OBJECTIVE)
        for name in given:
            if name not in known:
                owners = [other for other in RANKERS if name in {each.name for each in fields(ranker_type(other))}]
                option = f"--{name.replace('_', '-')}"
                raise InputError(f"{option} has no effect on --ranker {kind}; it belongs to {' and '.join(owners)}")
        return asked

    @property
    def type(self) -> type[Ranker]:
        """The class of the ranker."""
        return ranker_type(self.ranker)

    @property
    def epochs(self) -> int:
        """How many epochs there are at most."""
        default: Any = next(each.default for each in fields(self.type) if each.name == "epochs")
        return int(self.given.get("epochs", default))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the class, but for objective and seed."""
        own = {name: value for name, value in self.given.items() if name not in OBJECTIVE}
        if own.get("scaling") == "none":
            own["scaling"] = None
        return own

    def objective(self, text: str) -> Objective:
        """What an --objective says, with the options that belong to it."""
        from gradeval.ltr import Objective

        return Objective.parse(text, **{name: self.given[name] for name in OBJECTIVE if name in self.given})

    def objectives(self, texts: Sequence[str]) -> list[Objective]:
        """The same for several; an option is for those of its method."""
        from gradeval.ltr import Objective

        methods = {"truncation": "lambdarank", "estimator": "softrank"}
        found = []
        for text in texts:
            aim = Objective.parse(text)
            own = {name: self.given[name] for name in OBJECTIVE if name in self.given}
            own = {name: value for name, value in own.items() if methods.get(name, aim.method) == aim.method}
            found.append(Objective.parse(text, **own))
        return found


def ranker_type(kind: str) -> type[Ranker]:
    """The class of a kind of ranker."""
    import gradeval.ltr

    found: type[Ranker] = getattr(gradeval.ltr, RANKERS[kind])
    return found


def read_features(paths: Sequence[str], columns: tuple[str, ...] = ()) -> list[Features]:
    """The features of files, which have the same ones.

    A sparse file may lack the last of them, or of ``columns``: they are 0 there, which is said. What differs otherwise
    is left for the training to refuse.
    """
    read = [read_letor(path) for path in paths]
    widest = max([*(features.columns for features in read), columns], key=len)
    return [widened(features, widest) for features in read]


def widened(features: Features, columns: Sequence[str]) -> Features:
    """The features with those that they lack at the end, as zeros."""
    width = len(features.columns)
    if width == len(columns) or features.columns != tuple(columns[:width]):
        return features
    tell([f"{features.name} has {width} of the {len(columns)} features; those that it lacks are 0"])
    table = np.zeros((len(features), len(columns)), np.float32)
    table[:, :width] = features.X
    return replace(features, X=table, columns=tuple(columns))


@contextmanager
def engines() -> Iterator[None]:
    """Say what to install where the package that trains is not there."""
    try:
        yield
    except ImportError as error:
        if error.name in ENGINES:
            raise InputError(f"training needs the package {error.name}: pip install 'gradeval[ltr]'") from None
        raise


@contextmanager
def bar_with_words(unit: str) -> Iterator[Callable[[str, int, int], None]]:
    """Gives what long work calls as tell(words, done, total); a bar with these words appears once it took a second."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        begin = time.monotonic()
        bars: list[tuple[Any, Any]] = []

        def tell(words: str, done: int, total: int) -> None:
            if not sys.stderr.isatty():
                return
            if not bars and done < total and time.monotonic() - begin > PATIENCE:
                bar = stack.enter_context(progress_bar(unit))
                bars.append((bar, bar.add_task(words, completed=done, total=total)))
            for bar, task in bars:
                bar.update(task, description=words, completed=done, total=total)

        yield tell
