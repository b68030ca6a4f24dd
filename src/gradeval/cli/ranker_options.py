"""The options that ``train`` and ``crossval`` share: the ranker, its parameters, and its training data."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click
import numpy as np

from gradeval._core import InputError
from gradeval.arguments import NONE, Anything, Declared, Flag, read_fields
from gradeval.cli.declared_options import Word
from gradeval.cli.notices import print_notes
from gradeval.cli.options import FILE, is_set, read_first_words
from gradeval.files.letor import WEIGHTS_ENDING, unused_beside
from gradeval.files.readers import file_of, read_features
from gradeval.ltr.crossvalidation import parse_trained
from gradeval.ltr.engine_trees import EngineObjective
from gradeval.ltr.objectives.objective import METHODS, PARAMETERS, Objective
from gradeval.ltr.objectives.objective import owners as owners_of_parameter
from gradeval.ltr.rankers.kinds import KINDS, missing_engine, ranker_class
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.rankers.trees import code_categories
from gradeval.warning_categories import UnusedFilesWarning

if TYPE_CHECKING:
    from gradeval.features.features import Features

F = TypeVar("F", bound=Callable[..., Any])


RANKERS = list(KINDS)
DECLARED: dict[str, dict[str, Declared]] = {}
"""The parameters of rankers that are options, by the kinds of rankers that have them; of the objective by ""."""
for kind in RANKERS:
    for name, one in read_fields(ranker_class(kind)).items():
        if type(one.kind) is not Anything and name != "seed":
            DECLARED.setdefault(name, {})[kind] = one
DECLARED |= {name: {"": one} for name, one in PARAMETERS.items()}


def ranker_options(command: F) -> F:
    """The options that say which ranker is trained and how."""
    for name, by_kind in reversed(DECLARED.items()):
        command = _option(name, by_kind)(command)
    kind = click.Choice(RANKERS)
    return click.option("--ranker", type=kind, default=RANKERS[0], show_default=True, help="Kind of ranker.")(command)


def _option(name: str, by_kind: Mapping[str, Declared]) -> Callable[[F], F]:
    """The option of a parameter of some rankers, or of the objective; its help names them, and their defaults."""
    kind, spelled = next(iter(by_kind.values())).kind, f"--{name.replace('_', '-')}"
    text = _list_by_kind({ranker: one.help.removesuffix(".") for ranker, one in by_kind.items()}) + "."
    if [*by_kind] not in ([""], RANKERS):
        text = f"{', '.join(by_kind)}: {text[0].lower()}{text[1:]}"
    if isinstance(kind, Flag):
        return click.option(spelled, is_flag=True, help=text)
    if any(one.default not in (None, ()) for one in by_kind.values()):
        text += f"  [default: {_list_by_kind({ranker: _word_of(one.default) for ranker, one in by_kind.items()})}]"
    return click.option(spelled, type=Word(kind, checks=False), metavar=kind.metavar, help=text)


def _word_of(default: Any) -> str:
    """A default as a command spells it."""
    return NONE if default is None else f"{default:g}" if isinstance(default, float) else str(default)


def _list_by_kind(texts: Mapping[str, str]) -> str:
    """The text of the first kind of rankers, and the texts of other kinds where they differ: 300; tree: 500."""
    first = next(iter(texts.values()))
    others = [f"{kind}: {text[0].lower()}{text[1:]}" for kind, text in texts.items() if text != first]
    return "; ".join([first, *others])


@dataclass(frozen=True)
class Settings:
    """The values of ``ranker_options``: the kind of ranker, and the options that the user set."""

    ranker: str
    values: dict[str, Any]

    @classmethod
    def of(cls, options: dict[str, Any]) -> Self:
        """Take these options out of those of a command; an error for options that have no effect."""
        kind = options.pop("ranker")
        given = {name: options.pop(name) for name in DECLARED}
        values = {name: value for name, value in given.items() if is_set(name)}
        for name, value in values.items():
            if name in PARAMETERS:
                continue
            if kind not in DECLARED[name]:
                raise InputError(
                    f"--{name.replace('_', '-')} has no effect on --ranker {kind}; it belongs to "
                    f"{' and '.join(DECLARED[name])}"
                )
            DECLARED[name][kind].check(value)  # before anything is read
        return cls(kind, values)

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
        return int(self.values.get("epochs", DECLARED["epochs"][self.ranker].default))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the class, but for objective and seed."""
        return {name: value for name, value in self.values.items() if name not in PARAMETERS}

    def objective(self, text: str) -> Objective:
        """An objective from its text, with the options that belong to it."""
        return Objective.parse(text, **{name: self.values[name] for name in PARAMETERS if name in self.values})

    def objectives(self, texts: Sequence[str]) -> list[Objective | EngineObjective]:
        """Several objectives; an option applies to those of its method."""
        parsed = [parse_trained(text) for text in texts]
        for name in PARAMETERS:
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
    for number, word in enumerate(read_first_words(place), 1):
        try:
            weights.append(float(word))
        except ValueError:
            raise InputError(f"{place}: {word[:40]!r}, the weight {number}, is not a number; {accepted}") from None
    return weights


def weights_beside(files: Sequence[str], parts: Sequence[Features]) -> list[float] | None:
    """The weights of the rows from the files that LightGBM and XGBoost read beside the file of features, FILE.weight,
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


def read_feature_files(paths: Sequence[str], columns: tuple[str, ...] = ()) -> list[Features]:
    """The features of files, which have the same ones.

    ``letor:FILE`` is FILE, as in other commands. A sparse file may lack the last features of the others, or of
    ``columns``: they are 0 there, which a note says. Training refuses files that differ in another way.
    """
    read = [read_features(path) for path in paths]
    widest = max([*(features.columns for features in read), columns], key=len)
    return [widened(features, widest) for features in read]


def read_training_files(
    paths: Sequence[str], *, weighted: bool, clicked: bool = False
) -> tuple[list[Features], list[float] | None]:
    """The features of files to train on, and the weights that lie beside them, unless training is ``weighted`` by
    others or ``clicked``; notes name the files beside them that are not used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedFilesWarning)
        parts = read_feature_files(paths)
    weights = None if weighted or clicked else weights_beside(paths, parts)
    used = (WEIGHTS_ENDING,) if weighted or weights is not None else ()
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
