"""The options that ``train`` and ``crossval`` share: the ranker, its parameters, and its training data."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click
import numpy as np

from gradeval._core import InputError
from gradeval.arguments import NONE, Anything, Declared, Flag, OneOf, read_fields
from gradeval.array_checks import HEAVIEST
from gradeval.cli.declared_options import ValueOfKind, declared_by, declared_options
from gradeval.cli.given_options import spell_value
from gradeval.cli.notices import take_notes
from gradeval.cli.options import FILE, is_set, join_lists, read_columns, read_first_words
from gradeval.files.feature_columns import FeatureColumns, warn_of_others
from gradeval.files.folders import without_junk
from gradeval.files.input_formats import file_of
from gradeval.files.letor import WEIGHTS_ENDING, unused_beside
from gradeval.files.plain_text import read_decimal
from gradeval.files.readers import read_features
from gradeval.ltr.crossvalidation import parse_trained
from gradeval.ltr.engine_trees import EngineObjective
from gradeval.ltr.objectives.objective import METHODS, PARAMETERS, Objective
from gradeval.ltr.objectives.objective import owners as owners_of_parameter
from gradeval.ltr.rankers.kinds import DEFAULT, KINDS, default_kind, missing_engine, ranker_class
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.rankers.trees import code_categories
from gradeval.messages import Given
from gradeval.warning_categories import SplitQueriesWarning, UnusedFilesWarning

if TYPE_CHECKING:
    from gradeval.features.features import Features

F = TypeVar("F", bound=Callable[..., Any])

RANKERS = list(KINDS)
_OF_KINDS = {kind: read_fields(ranker_class(kind)) for kind in RANKERS}
DECLARED: dict[str, dict[str, Declared]] = {
    name: {kind: fields[name] for kind, fields in _OF_KINDS.items() if name in fields}
    for fields in _OF_KINDS.values()
    for name, one in fields.items()
    if type(one.kind) is not Anything and name != "seed"
} | {name: dict.fromkeys(RANKERS, one) for name, one in PARAMETERS.items()}
"""The parameters of rankers and of objectives that are options, by the kinds of rankers that have them."""

INSTEAD = {"budget": "epochs", "epochs": "budget"}
"""By an option of some kinds of rankers, the option of the others that does the same there."""


def ranker_options(command: F) -> F:
    """The options that say which ranker is trained and how."""
    for name, by_kind in reversed(DECLARED.items()):
        command = _option(name, by_kind)(command)
    text = f"Kind of ranker.  [default: {DEFAULT}]"
    kind = OneOf(tuple(RANKERS))
    return click.option("--ranker", type=ValueOfKind(kind), metavar=kind.metavar, help=text)(command)


def _option(name: str, by_kind: Mapping[str, Declared]) -> Callable[[F], F]:
    """The option of a parameter; its help names the kinds of rankers that differ, and their defaults."""
    kind, spelled = next(iter(by_kind.values())).kind, f"--{name.replace('_', '-')}"
    text = " ".join(_list_by_kind({key: one.help for key, one in by_kind.items()}, RANKERS))
    if isinstance(kind, Flag):
        if next(iter(by_kind.values())).optional:  # where it is not given, the ranker decides
            return click.option(f"{spelled}/--no-{spelled[2:]}", default=None, help=text)
        return click.option(spelled, is_flag=True, help=text)
    if any(one.default not in (None, ()) for one in by_kind.values()):
        defaults = _list_by_kind({key: _spell(one) for key, one in by_kind.items()}, by_kind)
        text += f"  [default: {'; '.join(defaults)}]"
    return click.option(spelled, type=ValueOfKind(kind, checks=False), metavar=kind.metavar, help=text)


def _spell(one: Declared) -> str:
    """The default of a parameter as a command spells it."""
    return NONE if one.default is None else spell_value(Given(one.name, one.default))


def _list_by_kind(texts: Mapping[str, str], every: Iterable[str]) -> list[str]:
    """Each text behind the kinds of rankers that have it, except one that ``every`` kind has."""
    kinds = {text: [kind for kind, other in texts.items() if other == text] for text in texts.values()}
    return [text if found == [*every] else f"{', '.join(found)}: {text}" for text, found in kinds.items()]


@dataclass(frozen=True)
class Settings:
    """The kind of ranker, its class, what the user set of its parameters and its objective's, and what to
    say of the kind where none was named."""

    ranker: str
    ranker_class: type[Ranker]
    parameters: dict[str, Any]
    of_objective: dict[str, Any]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, options: dict[str, Any], objectives: Sequence[str]) -> Self:
        """Take these options out of the options of a command that trains for some objectives; an error for options
        without effect."""
        kind, given = options.pop("ranker"), {name: options.pop(name) for name in DECLARED}
        notes: tuple[str, ...] = ()
        if kind is None:
            kind, reason = default_kind(_methods_of(objectives))
            notes = (f"no --ranker is named, and the default is {kind}, as {reason}",)
        values = {name: value for name, value in given.items() if is_set(name)}
        of_objective = {name: values.pop(name) for name in PARAMETERS if name in values}
        for name, value in values.items():
            if kind not in DECLARED[name]:
                owners, option = " and ".join(DECLARED[name]), f"--{name.replace('_', '-')}"
                instead = f", which takes --{INSTEAD[name]}" if name in INSTEAD else ""
                raise InputError(f"{option} has no effect on --ranker {kind}{instead}; it belongs to {owners}")
            DECLARED[name][kind].check(value)  # before anything is read
        return cls(kind, ranker_class(kind), values, of_objective, notes)

    def require_engine(self, *, keeps: bool) -> None:
        """Refuse to go on where a package or a GPU is missing; ``keeps``: will models be written?"""
        engine, shape = self.ranker_class.engine_for(self.parameters), self.parameters.get("shape")
        asked = f"--ranker {self.ranker}" if shape is None else f"--shape {shape}"
        for package in (engine, "safetensors") if keeps and engine == "torch" else (engine,):
            if find_spec(package) is None:
                raise missing_engine(asked, package)
        if (device := self.parameters.get("device", "cpu")) != "cpu":
            from gradeval.ltr.rankers.neural import require_device

            require_device(device)

    def with_categories(self, given: FeatureColumns) -> FeatureColumns:
        """The columns of tables, with those that the user names as categories, if the ranker takes any."""
        takes = self.ranker in DECLARED["categorical"] and self.parameters.get("shape") != "symmetric"
        return replace(given, categorical=self.parameters.get("categorical", ()) if takes else None)

    def objectives(self, texts: Sequence[str]) -> list[Objective | EngineObjective]:
        """Several objectives; an option applies to objectives of its method."""
        parsed = [parse_trained(text) for text in texts]
        for name in self.of_objective:
            methods = owners_of_parameter(name)
            if not any(getattr(each, "method", "") in methods for each in parsed):
                raise InputError(f"--{name} has no effect without an objective of {' or '.join(methods)}; leave it out")
        for each in parsed:
            if isinstance(each, EngineObjective) and self.ranker not in ("tree", "auto"):
                raise InputError(f"{each} grows trees: take --ranker tree or auto")
        return [each if isinstance(each, EngineObjective) else self._with_options(each) for each in parsed]

    def _with_options(self, objective: Objective) -> Objective:
        known = METHODS[objective.method].parameters
        return Objective.parse(objective, **{name: one for name, one in self.of_objective.items() if name in known})


def _methods_of(objectives: Sequence[str]) -> Iterator[str]:
    """The methods of the objectives that can be read; others are refused where they are used."""
    for text in objectives:
        with suppress(InputError):
            yield getattr(parse_trained(text), "method", "")


AS_WORDS: dict[str, dict[str, Any]] = {
    "columns": {"callback": read_columns, "metavar": "query=Q,doc=D,grade=G", "multiple": True},
    "leave_out": {"callback": join_lists, "multiple": True},
}
columns_options = declared_options(declared_by(FeatureColumns.of), "columns", "leave_out", **AS_WORDS)
"""The options that say which columns of tables are features."""


def take_columns(options: dict[str, Any]) -> FeatureColumns:
    """Take the values of ``columns_options`` out of the options of a command."""
    return FeatureColumns.of(options.pop("columns"), options.pop("leave_out"))


WEIGHTS = "Weights of the queries or rows to train on, a number a line.  [default: all alike]"
weights_option = click.option("--weights", type=FILE, metavar="FILE", help=WEIGHTS)


def _read_weights(place: str) -> list[float]:
    """The numbers of a file, one a line."""
    words = read_first_words(place)
    weights = list(map(read_decimal, words))
    if wrong := [number for number, weight in enumerate(weights) if math.isnan(weight)]:
        raise InputError(
            f"{place}: {words[wrong[0]][:40]!r}, the weight {wrong[0] + 1}, is not a number; accepted: a number a "
            "line, for each query or each row of the features, in their order"
        )
    if wrong := [number for number, weight in enumerate(weights) if not 0 <= weight <= HEAVIEST]:
        raise InputError(
            f"{place}: {words[wrong[0]][:40]}, the weight {wrong[0] + 1}, is none; weights are 0 or more, at most "
            f"{HEAVIEST:g}"
        )
    if not any(weights):
        raise InputError(f"{place}: all weights are 0, and nothing would be trained on; give one above 0")
    return weights


def _weights_beside(files: Sequence[str], parts: Sequence[Features]) -> list[float] | None:
    """The weights of the rows from the files that LightGBM and XGBoost read with the file of features, FILE.weight,
    a number for each row or each query; None where one of them has none."""
    places = [file_of(file) + WEIGHTS_ENDING for file in files]
    if not all(map(os.path.exists, places)):
        return None
    weights: list[float] = []
    for place, features in zip(places, parts, strict=True):
        read, rows, queries = _read_weights(place), len(features), len(features.topics)
        if len(read) not in (rows, queries):
            raise InputError(
                f"{place}:{len(read)}: ends after {len(read)} weights; give one for each of the {rows} rows of "
                f"{features.name}, or of its {queries} queries, or move the file away"
            )
        weights += np.repeat(read, np.diff(features.offsets) if len(read) == queries else 1).tolist()
        each = "query" if len(read) == queries else "row"
        take_notes([f"{place}: its {len(read)} weights are used, one for each {each}"])
    return weights


def read_feature_files(paths: Sequence[str], given: FeatureColumns, columns: Sequence[str] = ()) -> list[Features]:
    """The features of files, which have the same ones.

    ``letor:FILE`` is FILE, as in other commands. A sparse file may lack the last features of the others, or of
    ``columns``: they are 0 there, which a note says. Training refuses files that differ in another way.
    """
    given = replace(given, wanted=columns)
    read = [read_features(path, given=given) for path in without_junk(paths)]
    widest = max([*(features.columns for features in read), tuple(columns)], key=len)
    return [widened(features, widest) for features in read]


def read_training_files(
    paths: Sequence[str], weights: str | None, given: FeatureColumns, *, clicked: bool = False
) -> tuple[list[Features], list[float] | None]:
    """The features of files to train on, and their weights: from the file ``weights``, else the weights that lie with
    the features, unless training is by clicks; notes name such files that are not used."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", UnusedFilesWarning)
        parts = read_feature_files(paths, given)
    for one in said:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    beside = None if clicked or weights is not None else _weights_beside(paths, parts)
    if (weights is not None or beside is not None) and any(one.category is SplitQueriesWarning for one in said):
        place = weights if weights is not None else file_of(paths[0]) + WEIGHTS_ENDING
        raise InputError(
            f"{place}: weights stand in the order of the rows, and these were sorted by query; sort the rows by query "
            "first, and the weights with them"
        )
    used = () if weights is None and beside is None else (WEIGHTS_ENDING,)
    take_notes(note for path in paths for note in unused_beside(file_of(path), used))
    if weights is None:
        return parts, beside
    read, rows, queries = _read_weights(weights), sum(map(len, parts)), sum(len(part.topics) for part in parts)
    if len(read) not in (rows, queries):
        raise InputError(
            f"--weights {weights}: has {len(read)} weights for {rows} rows of {queries} queries; give one for each "
            "row, or one for each query"
        )
    return parts, read


def match_features(features: Features, ranker: Ranker) -> Features:
    """Features of a file as a ranker was trained on them: zeros for the last ones where the file lacks them, and the
    codes of categories."""
    card = ranker.require_trained()
    return code_categories(widened(features, card.columns), card.categories)


def widened(features: Features, columns: Sequence[str]) -> Features:
    """The features of LETOR text by which a ranker was trained, whose names are numbers: without others between
    them, and with columns of zeros for those that are missing at the end.

    A column with a name of its own, of a table, is not sparse: where it is missing, it was forgotten.
    """
    width = len(features.columns)
    numbered = all(map(str.isdecimal, (*features.columns, *columns)))
    of_letor = features.columns == tuple(map(str, range(1, width + 1))) or features.columns == tuple(columns[:width])
    if not numbered or not of_letor or features.columns == tuple(columns):
        return features
    if width > int(columns[-1]):
        return features  # probably other data
    lacking = [name for name in columns if name not in features.columns]
    if lacking:
        there = f"{len(columns) - len(lacking)} of the {len(columns)} features"
        take_notes([f"{features.name} has {there}; those that it lacks are 0"])
    if others := [name for name in features.columns if name not in columns]:
        warn_of_others(features.name, others, columns)
    table = np.zeros((len(features), len(columns)), features.X.dtype)
    known = [place for place, name in enumerate(columns) if name not in lacking]
    table[:, known] = features.X[:, [features.columns.index(columns[place]) for place in known]]
    return replace(features, X=table, columns=tuple(columns))
