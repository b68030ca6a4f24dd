"""What a ranker looks at: the importance of each feature, by the model and by what a measure loses without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gradeval import arguments as checked
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.saving import fingerprint
from gradeval.messages import Given
from gradeval.progress import ShowProgress, progress_of
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

FIELDS = "feature kind value sd measure samples ranker objective data".split()
ENOUGH = 2  # repeats for a standard deviation


@dataclass(frozen=True, eq=False, repr=False)
class Importance(Tabular):
    """The importance of each feature of a ranker: see ``feature_importance``.

    Attributes
    ----------
    columns : the features.
    by_model : float64[feature] by kind: gain or change, and split (trees), weight (linear), slope (neural).
    contribution : float64[feature], the mean of the absolute SHAP values of a tree ranker; None without data.
    drops : float64[sample, feature], by how much the mean of the measure falls; None without data.
    measure, value : the measure, and its mean on the data as they are.
    samples, seed : how many permutations of each feature, and their seed.
    seen : whether the ranker was trained on the data.
    ranker, objective, data : what was explained, and the name of the data; None without data.
    """

    columns: tuple[str, ...]
    by_model: dict[str, Array]
    ranker: str
    objective: str
    samples: int
    seed: int
    contribution: Array | None = None
    drops: Array | None = None
    measure: Measure | None = None
    value: float | None = None
    data: str | None = None
    seen: bool = False

    def table(self, digits: int = 4) -> Table:
        """A row for each feature, the most important first: by the measure, else by the first of the other kinds."""
        spec = f".{digits}f"
        columns = [Column("feature", "name"), *(Column(kind, spec=f".{digits}g") for kind in self.by_model)]
        if self.contribution is not None:
            columns.append(Column("mean |SHAP|", spec=spec))
        if self.drops is not None:
            columns.append(Column(f"{self.measure} lost", spec=spec))
        rows = [self._row(place) for place in self.order]
        notes = [f"{self.ranker} ranker, trained for {self.objective}"]
        if self.value is not None:
            enough = self.drops is not None and len(self.drops) >= ENOUGH
            spread = f"; mean and standard deviation of {self.samples} permutations" if enough else ""
            notes.append(
                f"{self.measure} is {self.value:.{digits}f} on {self.data}, the mean over the orders of equal scores; "
                f"lost: when the values of the feature are permuted at random within each query{spread}"
            )
        if self.seen:
            notes.append("the ranker was trained on these documents: what it learnt by heart counts, too")
        return Table([Grid(columns, rows)], Records.of(FIELDS, self._records()), notes)

    @property
    def order(self) -> list[int]:
        """The places of the features, the most important first."""
        first = next(iter(self.by_model.values())) if self.drops is None else self.drops.mean(0)
        order: list[int] = np.argsort(-np.abs(first) if self.drops is None else -first, kind="stable").tolist()
        return order

    def _row(self, place: int) -> list[Cell]:
        row: list[Cell] = [self.columns[place], *(float(values[place]) for values in self.by_model.values())]
        if self.contribution is not None:
            row.append(float(self.contribution[place]))
        if self.drops is not None:
            row.append(Estimate(float(self.drops[:, place].mean()), spread=self._spread(place)))
        return row

    def _spread(self, place: int) -> float | None:
        assert self.drops is not None
        return float(self.drops[:, place].std(ddof=1)) if len(self.drops) >= ENOUGH else None

    def _records(self) -> Iterator[list[Value]]:
        end: list[Value] = [self.ranker, self.objective, self.data]
        for place in self.order:
            feature = self.columns[place]
            for kind, values in self.by_model.items():
                yield [feature, kind, float(values[place]), None, None, None, *end]
            if self.contribution is not None:
                yield [feature, "shap", float(self.contribution[place]), None, None, None, *end]
            if self.drops is not None:
                mean, spread = float(self.drops[:, place].mean()), self._spread(place)
                yield [feature, "permutation", mean, spread, str(self.measure), self.samples, *end]


@known_arguments()
def feature_importance(
    ranker: Ranker,
    features: Features | None = None,
    measure: Measure | str | None = None,
    *,
    samples: int = 5,
    seed: int = 0,
    progress: ShowProgress = None,
) -> Importance:
    """How important each feature is to a ranker.

    By the model itself: ``gain`` (how much the splits by the feature improved the loss, in all) and ``split`` (how
    many there are) of trees, of symmetric ones ``change`` (by how much these splits change scores, as a share of
    100); ``weight`` of a linear ranker, on its scale of the features; ``slope`` of a network, sum_h |W_ih| |v_h|, an
    upper bound of |d score / d feature i| on that scale.

    With graded data also by a measure: how much its mean falls when the values of the feature are permuted at random
    within each query; negative where the ranking becomes better. For trees the mean of the absolute SHAP values, too.

    Parameters
    ----------
    features : documents with grades, best ones that the ranker has not seen.
    measure : any measure, or its spelling. Default: the measure of the ranker's objective.
    samples : how many permutations of each feature; the table shows the mean and the standard deviation of their drops.
    seed : of the permutations.
    progress : True shows a bar; a function is called as progress(done, total) after each permutation of a feature.

    Raises
    ------
    InputError : an untrained ranker; other features than in training, or documents without grades; without
        features a measure, or a network of your own, which has no importances by itself.

    Source: Breiman (2001), "Random forests"; Fisher, Rudin & Dominici (2019), "All models are wrong, but many are
    useful"; Lundberg et al. (2020), "From local explanations to global understanding with explainable AI for trees".
    """
    samples, seed = checked.whole("samples", samples, 1), checked.seed(seed)
    columns = tuple(ranker.require_trained().columns)
    explained = Importance(columns, ranker.importances(), ranker.kind, str(ranker.objective), samples, seed)
    if features is None:
        if not explained.by_model:
            raise InputError("this ranker has no importances by itself: give features=, documents with grades")
        if measure is not None:
            raise InputError(f"{measure} is measured on data: give features=, documents with grades")
        return explained
    if not isinstance(features, Features):
        raise InputError(
            Given("features", None, type(features).__name__),
            ": give Features with grades, as of read_letor, features_from_frame or Features.from_arrays",
        )
    ranker.require_columns(features)
    by = ranker.objective.measure if measure is None else parse_measure(measure)
    validation = Validation.of(features, by)
    value = validation(ranker.score(features))
    rng = np.random.default_rng(seed)
    drops, X = np.empty((samples, len(columns))), features.X.copy()
    with progress_of(progress, "permuting") as tell:
        for sample in range(samples):
            order = _permute_within(features.offsets, rng)
            for place in range(len(columns)):
                X[:, place] = X[order, place]
                drops[sample, place] = value - validation(ranker.score(replace(features, X=X)))
                X[:, place] = features.X[:, place]
                if tell is not None:
                    tell(sample * len(columns) + place + 1, drops.size)
    contribution = np.abs(ranker.contributions(features)[:, :-1]).mean(0) if hasattr(ranker, "contributions") else None
    seen = ranker.require_trained().train.get("fingerprint") == fingerprint(features)
    return replace(
        explained, contribution=contribution, drops=drops, measure=by, value=value, data=features.name, seen=seen
    )


def _permute_within(offsets: Array, rng: np.random.Generator) -> Array:
    """int[row]: the rows of each query in a random order."""
    return np.concatenate([begin + rng.permutation(end - begin) for begin, end in pairwise(offsets.tolist())])
