"""The options that ``train`` and ``crossval`` share: the ranker, its parameters, and its training data."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self, TypeVar, get_args

import click
import numpy as np

from gradeval._core import InputError
from gradeval.cli.notices import print_notes
from gradeval.cli.options import FILE, complete_measures, read_first_words
from gradeval.features.scaling import Scaling
from gradeval.files.letor import WEIGHTS_ENDING, unused_beside
from gradeval.files.readers import file_of, read_features
from gradeval.ltr.crossvalidation import parse_trained
from gradeval.ltr.engine_trees import EngineObjective
from gradeval.ltr.objectives.draws import NoiseKind
from gradeval.ltr.objectives.objective import BASELINES, METHODS, Estimator, Objective
from gradeval.ltr.objectives.objective import owners as owners_of_parameter
from gradeval.ltr.rankers.kinds import KINDS, missing_engine, ranker_class
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.rankers.trees import code_categories
from gradeval.warning_categories import BesideWarning

if TYPE_CHECKING:
    from gradeval.features.features import Features

F = TypeVar("F", bound=Callable[..., Any])


class NumberOrAuto(click.IntRange):
    """A whole number from 0, or the word auto."""

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or the word."""
        return value if value == "auto" else super().convert(value, param, ctx)


class Layers(click.IntRange):
    """A whole number from 1, or several with commas between: one for each layer."""

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or a tuple of them."""
        parts: list[Any] = value.split(",") if isinstance(value, str) else [value]
        units = tuple(super(Layers, self).convert(part, param, ctx) for part in parts)
        return units if len(units) > 1 else units[0]


RANKERS = list(KINDS)
OBJECTIVE = tuple("sigma truncation estimator draws noise spread".split())
"""What belongs to the objective, not to the ranker."""
OPTIONS = (
    "epochs patience learning_rate sigma truncation estimator draws noise spread scaling queries documents hidden "
    "activation weight_decay device leaves min_rows l2 subsample norm categorical threads"
).split()

validate_by_option = click.option(
    "--validate-by",
    metavar="MEASURE",
    shell_complete=complete_measures,
    help="Measure to validate by.  [default: that of the objective]",
)


def objective_option(*, several: bool = False) -> Callable[[F], F]:
    """--objective; ``several`` may be given as ``objectives``."""
    methods = "lambdarank and any measure, or softrank and one with a soft form"
    return click.option(
        "--objective",
        "objectives" if several else "objective",
        multiple=several,
        required=True,
        metavar="OBJECTIVE",
        help=f"What to train for, as METHOD:MEASURE: {methods}; a measure alone, by lambdarank; "
        f"or a baseline: {', '.join(BASELINES)}"
        f"{'; or of an engine, as lightgbm:lambdarank; may be repeated' * several}.",
    )


def ranker_options(command: F) -> F:
    """The options that say which ranker is trained and how."""
    for decorate in reversed(_options()):
        command = decorate(command)
    return command


def _options() -> list[Callable[[Any], Any]]:
    some, share = click.IntRange(1), click.FloatRange(0, min_open=True)
    return [
        click.option(
            "--ranker", type=click.Choice(RANKERS), default=RANKERS[0], show_default=True, help="Kind of ranker."
        ),
        _option("epochs", some, "Largest number of epochs (tree: of trees)."),
        _option("patience", some, "Stop after so many epochs without a better validation."),
        _option("learning_rate", share, "Learning rate of Adam; factor of each tree."),
        _option("sigma", share, "Steepness for losses over pairs, noise of scores for softrank.", none=_sigmas()),
        _option("truncation", some, "lambdarank: only pairs with a document in the first N ranks.", none="all"),
        _option("estimator", click.Choice(get_args(Estimator)), "softrank: how the expected measure is estimated."),
        _option(
            "draws",
            NumberOrAuto(),
            "lambdarank: weigh pairs by the mean over N rankings drawn around the scores; auto: if validation is "
            "better with them.",
        ),
        _option("noise", click.Choice(get_args(NoiseKind)), "Noise of the scores in drawn rankings."),
        _option("spread", share, "What this noise is multiplied by."),
        _option(
            "scaling", click.Choice([*get_args(Scaling), "none"]), "Scale of the features, fitted on the training data."
        ),
        _option("queries", some, "Number of queries in a batch."),
        _option("documents", some, "Number of documents in a batch, in place of --queries."),
        _option("hidden", Layers(), "Number of hidden units; of each layer: 64,32."),
        _option("activation", click.Choice(["tanh", "relu"]), "Function of the hidden units."),
        _option(
            "weight_decay", click.FloatRange(0), "Share of the learning rate by which weights shrink in each step."
        ),
        _option("device", click.STRING, "Device to train on: cpu, cuda, or one of several GPUs, as cuda:1."),
        _option("leaves", click.IntRange(2), "Largest number of leaves of a tree."),
        _option("min_rows", some, "Smallest number of documents in a leaf."),
        _option("l2", click.FloatRange(0), "Constant added to the hessian of each leaf."),
        _option(
            "subsample", click.FloatRange(0, 1, min_open=True), "Share of the queries that each tree is trained on."
        ),
        _option("norm", None, "Normalise the gradients of each query."),
        click.option(
            "--categorical",
            metavar="NAME,...",
            callback=lambda _, __, text: None if text is None else tuple(part.strip() for part in text.split(",")),
            help="tree: names of features that are categories, coded 0, 1 ...  [default: none]",
        ),
        _option("threads", click.IntRange(0), "Processor cores for each training; 0 takes all."),
    ]


def _option(name: str, kind: Any, what: str, none: str = "none") -> Callable[[Any], Any]:
    """An option that is a parameter of some rankers, or of the objective: the help names them and the default.

    ``kind``: None makes a flag; ``none``: what the default None is called.
    """
    if name not in OBJECTIVE and owners(name) != RANKERS:
        what = f"{', '.join(owners(name))}: {what[0].lower()}{what[1:]}"
    spelled = f"--{name.replace('_', '-')}"
    if kind is None:
        return click.option(spelled, is_flag=True, default=None, help=what)
    metavar = {"Choice": None, "IntRange": "N", "FloatRange": "X", "NumberOrAuto": "N|auto"}.get(
        type(kind).__name__, name.upper()
    )
    return click.option(spelled, type=kind, metavar=metavar, help=f"{what}  [default: {_defaults(name, none)}]")


def owners(name: str) -> list[str]:
    """The kinds of rankers that have a parameter."""
    return [kind for kind in RANKERS if name in _parameters(ranker_class(kind))]


def _defaults(name: str, none: str) -> str:
    """The default of a parameter, first that of the first ranker: 300; tree: 500."""
    if name in OBJECTIVE:
        values = [("", _parameters(Objective)[name])]
    else:
        values = [(kind, _parameters(ranker_class(kind))[name]) for kind in owners(name)]
    shown = {
        kind: none if value is None else f"{value:g}" if isinstance(value, float) else str(value)
        for kind, value in values
    }
    first = next(iter(shown.values()))
    return "; ".join([first, *(f"{kind}: {value}" for kind, value in shown.items() if value != first)])


def _parameters(of: type) -> dict[str, Any]:
    """The parameters that a class is made with, and their defaults."""
    return {each.name: each.default for each in fields(of) if each.init}


@dataclass(frozen=True)
class Settings:
    """The values of ``ranker_options``: the kind of ranker, and the options that the user set."""

    ranker: str
    values: dict[str, Any]

    @classmethod
    def of(cls, options: dict[str, Any]) -> Self:
        """Take these options out of those of a command; an error for options that have no effect."""
        kind = options.pop("ranker")
        values = {name: value for name in OPTIONS if (value := options.pop(name)) is not None}
        settings = cls(kind, values)
        for name in values:
            if name not in OBJECTIVE and kind not in owners(name):
                option = f"--{name.replace('_', '-')}"
                raise InputError(
                    f"{option} has no effect on --ranker {kind}; it belongs to {' and '.join(owners(name))}"
                )
        return settings

    @property
    def type(self) -> type[Ranker]:
        """The class of the ranker."""
        kind: type[Ranker] = ranker_class(self.ranker)
        return kind

    def require_engine(self, *, keeps: bool) -> None:
        """Refuse to go on where a package or a GPU is missing; ``keeps``: will models be written?"""
        packages = [self.type.engine, *(["safetensors"] if keeps and self.type.engine == "torch" else [])]
        for package in packages:
            if find_spec(package) is None:
                raise missing_engine(f"--ranker {self.ranker}", package)
        device = self.values.get("device", "cpu")
        if device != "cpu":
            from gradeval.ltr.rankers.neural import require_device

            require_device(device)

    @property
    def epochs(self) -> int:
        """How many epochs there are at most."""
        return int(self.values.get("epochs", _parameters(self.type)["epochs"]))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the class, but for objective and seed."""
        own = {name: value for name, value in self.values.items() if name not in OBJECTIVE}
        if own.get("scaling") == "none":
            own["scaling"] = None
        return own

    def objective(self, text: str) -> Objective:
        """An objective from its text, with the options that belong to it."""
        return Objective.parse(text, **{name: self.values[name] for name in OBJECTIVE if name in self.values})

    def objectives(self, texts: Sequence[str]) -> list[Objective | EngineObjective]:
        """Several objectives; an option applies to those of its method."""
        parsed = [parse_trained(text) for text in texts]
        for name in OBJECTIVE:
            methods = owners_of_parameter(name)
            if name in self.values and not any(getattr(each, "method", "") in methods for each in parsed):
                raise InputError(f"--{name} has no effect without an objective of {' or '.join(methods)}; leave it out")
        for each in parsed:
            if isinstance(each, EngineObjective) and self.ranker != "tree":
                raise InputError(f"{each} grows trees: take --ranker tree")
        return [each if isinstance(each, EngineObjective) else self._with_options(each) for each in parsed]

    def _with_options(self, objective: Objective) -> Objective:
        known = METHODS[objective.method].parameters
        return Objective.parse(objective, **{name: self.values[name] for name in known if name in self.values})


def weights_option(files: str) -> Callable[[F], F]:
    """--weights; ``files``: what the help calls the files of the rows."""
    return click.option(
        "--weights",
        type=FILE,
        metavar="FILE",
        help=f"Weights of the queries or of the rows of {files}, a number a line.  [default: all alike]",
    )


def read_weights(place: str | None, files: str) -> list[float] | None:
    """The numbers of a file, one a line; None where there is no file."""
    if place is None:
        return None
    accepted = f"--weights takes a file with a number a line, for each query or each row of {files}, in their order"
    weights = []
    for number, word in enumerate(read_first_words(place, accepted), 1):
        try:
            weights.append(float(word))
        except ValueError:
            raise InputError(f"{place}: {word[:40]!r}, the weight {number}, is not a number; {accepted}") from None
    return weights


def weights_beside(files: Sequence[str], parts: Sequence[Features]) -> list[float] | None:
    """The weights of the rows from the files that LightGBM and XGBoost read beside those of the features, FILE.weight,
    a number for each row or each query; None where one of them has none."""
    places = [file_of(file) + WEIGHTS_ENDING for file in files]
    if not all(map(os.path.exists, places)):
        return None
    weights: list[float] = []
    for place, features in zip(places, parts, strict=True):
        read = read_weights(place, features.name) or []
        rows, queries = len(features), len(features.topics)
        if len(read) not in (rows, queries):
            raise InputError(
                f"{place}:{len(read)}: ends after {len(read)} weights; give one for each of the {rows} rows of "
                f"{features.name}, or of its {queries} queries, or move the file away"
            )
        sizes = np.diff(features.offsets).tolist() if len(read) == queries else [1] * rows
        weights += [weight for weight, size in zip(read, sizes, strict=True) for _ in range(size)]
        each = "query" if len(read) == queries else "row"
        print_notes([f"{place}: its {len(read)} weights are used, one for each {each}"])
    return weights


def _sigmas() -> str:
    """The defaults of sigma, first that of the first method: 1; approxndcg: 10."""
    defaults = {name: method.sigma for name, method in METHODS.items() if "sigma" in method.parameters}
    first = next(iter(defaults.values()))
    return "; ".join([f"{first:g}", *(f"{name}: {value:g}" for name, value in defaults.items() if value != first)])


def read_feature_files(paths: Sequence[str], columns: tuple[str, ...] = ()) -> list[Features]:
    """The features of files, which have the same ones.

    ``letor:FILE`` is FILE, as in other commands. A sparse file may lack the last features of the others, or of
    ``columns``: they are 0 there, which a note says. Training refuses files that differ in another way.
    """
    read = [read_features(path) for path in paths]
    widest = max([*(features.columns for features in read), columns], key=len)
    return [widened(features, widest) for features in read]


def read_training_files(paths: Sequence[str], *, weighted: bool) -> tuple[list[Features], list[float] | None]:
    """The features of files to train on, and the weights that lie beside them, unless training is ``weighted`` in
    another way; notes name the files beside them that are not used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BesideWarning)
        parts = read_feature_files(paths)
    weights = None if weighted else weights_beside(paths, parts)
    used = () if weights is None else (WEIGHTS_ENDING,)
    print_notes(note for path in paths for note in unused_beside(file_of(path), used))
    return parts, weights


def join_features(parts: list[Features]) -> Features:
    """The features of several files as one; those of one file as they are, without a copy."""
    return parts[0] if len(parts) == 1 else parts[0].concat(parts)


def match_features(features: Features, ranker: Ranker) -> Features:
    """Features of a file as a ranker was trained on them: zeros for the last ones where the file lacks them, and the
    codes of categories."""
    card = ranker.require_trained()
    return code_categories(widened(features, card.columns), card.categories)


def widened(features: Features, columns: Sequence[str]) -> Features:
    """The features, with columns of zeros for those that they lack at the end.

    A column with a name of its own, of a table, is not sparse: where it is missing, it was forgotten.
    """
    width = len(features.columns)
    lacking = columns[width:]
    if not lacking or features.columns != tuple(columns[:width]) or not all(map(str.isdecimal, lacking)):
        return features
    print_notes([f"{features.name} has {width} of the {len(columns)} features; those that it lacks are 0"])
    table = np.zeros((len(features), len(columns)), features.X.dtype)
    table[:, :width] = features.X[:]
    return replace(features, X=table, columns=tuple(columns))
