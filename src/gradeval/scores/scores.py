"""Scores: the value of every measure for every run and topic, with means and intervals over topics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, get_args, overload

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Identity
from gradeval.collection.runs import find_run
from gradeval.formula.aggregation import combine, weighted_totals
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import choose_measures, place_of_measure
from gradeval.messages import Given, list_some, nearest, plural
from gradeval.scores.coverage import Coverage, Judging
from gradeval.scores.intervals import METHODS, IntervalMethod, choose_methods, describe_intervals, intervals_of_means
from gradeval.scores.score_table import (
    QUESTIONS,
    captioned,
    exact_records,
    judging_columns,
    means_grid,
    name_ends,
    nested_values,
    score_records,
    topic_rows,
)
from gradeval.tables.arrow import to_arrow
from gradeval.tables.format import Format
from gradeval.tables.grid import as_label
from gradeval.tables.records import Records
from gradeval.tables.table import Table, Tabular
from gradeval.upward import plot_result, slices_grid
from gradeval.version import __version__
from gradeval.warning_categories import Note, ask_of_respelt_runs

if TYPE_CHECKING:
    import pyarrow

    from gradeval.scores.joining import Axis
    from gradeval.scores.slices import Slice, Slices

Missing: TypeAlias = Literal["zero", "skip", "common"]
Empty: TypeAlias = Literal["zero", "skip", "one"]
Unit: TypeAlias = Literal["topics", "tasks", "means"]
ONE: dict[Unit, str] = {"topics": "topic", "tasks": "task", "means": "mean"}
"""What one of these is called."""
MISSING, EMPTY = get_args(Missing), get_args(Empty)
Strings: TypeAlias = str | Iterable[str]

FORMAT = 2
"""The layout of scores in Parquet; a later one gets another number."""


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Tabular):
    """Values of some measures for some runs on some topics; ``print`` shows the means.

    ``save`` writes everything to a .parquet, which ``read_scores`` reads back exactly (except residuals and slices),
    the value of every topic to a .tsv, .csv or .jsonl, and the means to other files.

    Attributes
    ----------
    values : float64[run, topic, measure], dense: where a run misses a topic, what an empty ranking scores (0, except by
        measures that say otherwise: NumQ, NumRel, SCU, RBPresidual).
    present : bool[run, topic]: does the run return anything for the topic?
    vacant : bool[topic, measure]: the topic is empty for the measure (nothing relevant to be found).
    runs, topics, measures : what the axes stand for.
    missing : do topics that a run misses count 0 ("zero"), are they left out of its mean ("skip"), or of the means of
        all runs ("common")?
    empty : do vacant topics count 0, are they left out, or do they count 1?
    coverage : how much of the runs the judgments cover; None for scores read from a file.
    saved_judging : of this what saved scores say, and verdicts ask; see ``judging``. None: not known, or ``coverage``.
    ties : how documents with equal scores were ordered, or "expected" over all orders; None: not known.
    errors : float64[run, topic, measure]: the standard errors of expected values that come from drawn orders of tied
        documents, 0 where they are exact; None: no value is an estimate.
    residuals : float64[run, topic, measure, 2]: the lowest and the highest value that unjudged documents could give
        (see ``evaluate``); NaN for measures that have none; None: not computed.
    as_often : float64[run, topic, measure]: the values if unjudged documents were relevant as often as judged ones, of
        long rankings over judged documents alone (see ``gradeval.scores.as_often``); None: not computed, as of
        mappings, or the runs are judged alike.
    collection : the judgments and how they were read, as far as ``concat`` must know; None where that is unknown.
    levels : the levels of the collection by which the values were computed; None where they are unknown.
    unit : what the topics are: "tasks" of a leaderboard, else "topics". A missing value of a run on a task is unknown:
        with missing="zero" it does not count 0, but the task is left out for all runs. "means": the one topic stands
        for means alone, of which the topics are not known (see ``read_scores``); a value that no file has is NaN.
    seeds : with how many seeds the rankers were trained whose means the values are (see ``crossval``); 0: that is not
        known. Studies say that they do not count how trainings vary.
    slices : the slices whose means tables show with the means over all topics; None: none. ``concat`` keeps them where
        all parts have the same.
    notes : what a reader should know about the evaluation: what was chosen or ignored, and probable mistakes.
    """

    values: Array
    present: Array
    vacant: Array
    runs: list[str]
    topics: list[str]
    measures: list[Measure]
    missing: Missing = "zero"
    empty: Empty = "zero"
    coverage: Coverage | None = None
    saved_judging: Judging | None = None
    ties: Ties | None = None
    errors: Array | None = None
    residuals: Array | None = None
    as_often: Array | None = None
    collection: Identity | None = None
    levels: Levels | None = None
    unit: Unit = "topics"
    seeds: int = 0
    slices: Slices | None = None
    notes: list[Note] = field(default_factory=list)

    def __post_init__(self) -> None:
        require_policies(self.missing, self.empty)

    @classmethod
    def concat(cls, parts: Sequence[Self], axis: Axis = "run") -> Self:
        """Scores of several groups of runs (or topics), computed apart, as one: the same as by one call.

            parts = client.map(evaluate, [qrels] * 2, [runs[:63], runs[63:]], [measures] * 2)
            scores = Scores.concat(client.gather(parts))

        The parts must agree in everything else: judgments, policies, measures, and topics (or runs), in any order; the
        result has the order of the first part. Groups of topics are scored by the whole qrels and ``topics=``, or by
        judgments of their own, with the levels of all (``Qrels.with_levels``). Parts that do not fit are an InputError.

        Warns
        -----
        CollectionWarning : a part does not say by which judgments it was scored.
        """
        from gradeval.scores import joining  # here, as few join scores

        given: Any = parts
        if isinstance(given, Scores) or not all(isinstance(part, Scores) for part in given):
            raise InputError("Scores.concat takes a list of Scores; futures of Dask are gathered first")
        joining.require_parts_of_one_table(parts, axis, stacklevel=2)
        first, along = parts[0], joining.AXES[axis]
        other = {"topics": first.topics} if axis == "run" else {"runs": first.runs}
        alike = [first, *(part.sel(**other, measures=first.measures) for part in parts[1:])]
        if axis == "run":
            joining.require_same_vacant(alike)
        joining.require_same_ties(part.ties for part in alike)
        coverages = [part.coverage for part in alike if part.coverage is not None]
        errors = [np.zeros(part.values.shape) if part.errors is None else part.errors for part in alike]
        return replace(
            first,
            errors=None if all(part.errors is None for part in alike) else np.concatenate(errors, along),
            residuals=joining.join_residuals(alike, along),
            as_often=joining.join_as_often(alike, along),
            values=np.concatenate([part.values for part in alike], along),
            present=np.concatenate([part.present for part in alike], along),
            vacant=first.vacant if axis == "run" else np.concatenate([part.vacant for part in alike]),
            runs=first.runs if axis == "topic" else [run for part in alike for run in part.runs],
            topics=first.topics if axis == "run" else [topic for part in alike for topic in part.topics],
            coverage=Coverage.concat(coverages, along) if len(coverages) == len(alike) else None,
            saved_judging=joining.join_judging(alike, along) if len(coverages) < len(alike) else None,
            collection=joining.join_collections(alike),
            levels=next((part.levels for part in alike if part.levels is not None), None),
            seeds=max(part.seeds for part in alike),
            slices=first.slices if all(part.slices is first.slices for part in alike) else None,
            notes=list(dict.fromkeys(note for part in alike for note in part.notes)),
        )

    @property
    def judging(self) -> Judging | None:
        """How many documents of the runs are judged, by ``coverage`` or as saved; None: not known."""
        return self.saved_judging if self.coverage is None else self.coverage

    @property
    def counted(self) -> Array:
        """bool[run, topic, measure]: which values enter the mean."""
        counted = np.ones(self.values.shape, bool)
        if self.missing == "skip":
            counted &= self.present[:, :, None]
        elif self.missing == "common" or self.unit == "tasks":
            counted &= self.shared[:, None]
        if self.empty == "skip":
            counted &= ~self.vacant
        return counted & np.isfinite(self.values) if self.unit == "means" else counted

    def count_topics(self, topics: Sequence[str]) -> dict[tuple[str, str], int]:
        """Over how many of some topics each mean is, by the names of run and measure."""
        numbers = self.counted[:, np.isin(self.topics, topics)].sum(1).tolist()
        return {
            (run, str(measure)): number
            for run, of_run in zip(self.runs, numbers, strict=True)
            for measure, number in zip(self.measures, of_run, strict=True)
        }

    @property
    def shared(self) -> Array:
        """bool[topic]: do all runs have the topic?"""
        return np.asarray(self.present.all(0))

    @property
    def credited(self) -> Array:
        """float64[run, topic, measure]: the values as they enter the mean (``empty`` applied)."""
        return np.where(self.vacant, 1.0, self.values) if self.empty == "one" else self.values

    @arguments.known_arguments()
    def mean(self) -> Array:
        """float64[run, measure]: each measure over the topics: mean; sum for counts; geometric mean for gmAP.

        Topics that a run misses and topics that are empty for a measure count as ``missing`` and ``empty``
        say. Sums are rounded once: other runs, measures or another order of topics do not change a mean.
        """
        self._require_topics()
        counted = self.counted
        values = np.where(counted, self.transformed(), 0.0)
        total = np.array([[math.fsum(column) for column in run] for run in values.swapaxes(1, 2).tolist()])
        return combine(self.measures, total.reshape(len(self.runs), -1), counted.sum(1))

    def ci(
        self, *, method: IntervalMethod | None = None, alpha: float = 0.05, samples: int = 2000, seed: int = 0
    ) -> Array:
        """float64[run, measure, 2]: bounds of intervals of ``mean()`` over topics, which cover 1 - alpha.

        No bound leaves the range of its measure. NaN: there is no interval, as all values are equal ("t", "bootstrap";
        "wilson" has one for 10 successes in 10 topics, too). By default "wilson" for means of values from 0 to 1, "t"
        for all others, such as DCG, counts and geometric means; docs/inference/means.md says why.

        "wilson": Wilson's score interval, whose variance is a share of the largest one that a mean allows;
        "t": mean +- t(n-1) s/sqrt(n), for the geometric mean taken on logarithms;
        "bootstrap": percentiles over ``samples`` resamples of the topics, drawn by ``seed``, the same ones for every
        run and measure (without those that leave no topic to average). With few topics they are too narrow.

        Raises
        ------
        InputError : fewer than 2 topics; "wilson" for a measure without that range.
        """
        if method is not None:
            arguments.one_of("method", method, METHODS)
        alpha = arguments.share("alpha", alpha, 0.05)
        samples, seed = arguments.whole("samples", samples, 1), arguments.seed(seed)
        if not self._have_intervals:
            raise InputError("a confidence interval needs at least 2 topics for every run and measure")
        return intervals_of_means(self.measures, self.transformed(), self.counted, method, alpha, samples, seed)

    def about_ci(
        self, *, method: IntervalMethod | None = None, alpha: float = 0.05, samples: int = 2000, seed: int = 0
    ) -> list[str]:
        """Sentences on what ``ci`` gives for the same arguments: by which method, and where there is no interval.

        Where there are slices, also which of them have too few topics for an interval.
        """
        bounds = self.ci(method=method, alpha=alpha, samples=samples, seed=seed)
        chosen = choose_methods(self.measures, self.transformed(), self.counted, method)
        about = describe_intervals(self.measures, chosen, bounds, len(self.topics), alpha, samples, seed)
        if self.slices is not None:
            about += [
                f"{one}: no interval over {len(one.topics)} {ONE[self.unit]}; at least 2 are needed"
                for one, part in self.by_slice()
                if not part._have_intervals
            ]
        return about

    def aggregate(self, weights: Array) -> Array:
        """float64[sample, run, measure]: ``mean()`` with each topic counted weights[sample, topic] times.

        A bootstrap over topics is one call; where the weights leave no topic that counts, the value is 0.
        """
        return combine(self.measures, *weighted_totals(self.transformed(), self.counted, weights))

    def transformed(self) -> Array:
        """float64[run, topic, measure]: the values on the scale on which topics are averaged, which is also
        the scale of paired differences: logarithms for a geometric mean, else the values themselves."""
        geometric = [measure.definition.aggregate == "geometric" for measure in self.measures]
        return np.where(geometric, np.log(np.maximum(self.credited, 1e-5)), self.credited)

    def _require_topics(self) -> None:
        counted = self.counted.any(1)
        if self.unit == "tasks" and self.missing == "zero" and not self.shared.any():
            raise InputError("no task has a value of every run; choose fewer runs, or leave out what misses most")
        if not counted.all():
            run, measure = np.argwhere(~counted)[0]
            if self.unit == "means":
                raise InputError(
                    f"run {self.runs[run]!r} has no mean of {self.measures[measure]}; add it, or choose runs or "
                    "measures that have all means: scores.sel(runs=[...])"
                )
            raise InputError(
                f"{self.measures[measure]}: no topic is left to average for run {self.runs[run]!r} (",
                Given("missing", self.missing),
                ", ",
                Given("empty", self.empty),
                "); count them as 0 instead",
            )

    def _known_means(self) -> Array:
        """float64[run, measure]: ``mean()``; of means alone those that are given, and NaN where none is."""
        return np.where(self.counted[:, 0], self.credited[:, 0], np.nan) if self.unit == "means" else self.mean()

    def means(self) -> dict[str, dict[str, float]]:
        """The means with their names: {run: {measure: mean}}."""
        names = list(map(str, self.measures))
        rows = (dict(zip(names, row, strict=True)) for row in self.mean().tolist())
        return dict(zip(self.runs, rows, strict=True))

    def to_metrics(self, *, ci: bool | IntervalMethod = False, seed: int = 0) -> dict[str, Any]:
        """The means as trackers of experiments take them: ``{name: mean}``, of several runs ``{run: {name: mean}}``.

            mlflow.log_metrics(scores.to_metrics())

        Names have the letters A-Z and a-z, digits and _ only, and no two are alike: nDCG@10 is nDCG_at_10, AP(rel=2) is
        AP_rel_2. Two measures that would share a name are told apart by digits of a digest at its end.

        Parameters
        ----------
        ci : also the ends of 95% confidence intervals, as nDCG_at_10_low and nDCG_at_10_high, where there is an
            interval; a word is the method of ``ci()``.
        seed : of the method "bootstrap".
        """
        from gradeval.scores.metric_names import ENDS, name_metrics  # here, as few track experiments

        names, how = name_metrics(self.measures), interval_arguments(ci, seed)
        metrics = [dict(zip(names, row, strict=True)) for row in self.mean().tolist()]
        if how is not None:
            for of_run, bounds in zip(metrics, self.ci(**how).tolist(), strict=True):
                for name, ends in zip(names, bounds, strict=True):
                    of_run |= {f"{name}_{end}": value for end, value in zip(ENDS, ends, strict=True) if value == value}
        return metrics[0] if len(metrics) == 1 else dict(zip(self.runs, metrics, strict=True))

    __iter__: ClassVar[None] = None  # scores are had by name, not one after another

    @overload
    def __getitem__(self, which: str) -> dict[str, float]: ...
    @overload
    def __getitem__(self, which: tuple[str, str | Measure]) -> float: ...
    def __getitem__(self, which: str | tuple[str, str | Measure]) -> dict[str, float] | float:
        """The means of a run by name, ``scores["bm25"]``, or one of them, ``scores["bm25", "nDCG@10"]``.

        Raises
        ------
        InputError : no such run or measure.
        """
        if isinstance(which, str):
            if which not in self.runs:
                self._refuse_measure(which)
            return self.sel(runs=which).means()[which]
        run, measure = which
        return float(self.sel(runs=run).mean()[0, place_of_measure(measure, self.measures)])

    def _refuse_measure(self, name: str) -> None:
        """Tell who gives a measure where a run is expected how its values are called."""
        try:
            measure = str(self.measures[place_of_measure(name, self.measures)])
        except InputError:
            return  # it is neither, and who looks the run up says so
        raise InputError(
            f"{name!r} is a measure, and runs are expected; write .of({measure!r}) for its values by run and topic, or "
            f"[{self.runs[0]!r}, {measure!r}] for a mean"
        )

    def standard_errors(self) -> Array:
        """float64[run, measure]: the standard errors of ``mean()`` from orders of tied documents that were drawn; 0
        where all values are exact. They say nothing of the choice of topics: see ``ci``."""
        if self.errors is None:
            return np.zeros((len(self.runs), len(self.measures)))
        squares = (np.square(self.errors) * self.counted).sum(1)
        means = np.array([measure.definition.aggregate != "sum" for measure in self.measures])
        return ratio(np.sqrt(squares), np.where(means, self.counted.sum(1), 1))

    def residual_means(self) -> Array:
        """float64[run, measure, 2]: the lowest and the highest ``mean()`` that unjudged documents could give, where the
        documents of each topic take their levels by themselves; NaN for measures that have no residuals.

        Raises
        ------
        InputError : residuals were not asked for.
        """
        if self.residuals is None:
            raise InputError("these scores have no residuals; ask for them, as in evaluate(..., residuals=True)")
        ends = [replace(self, values=self.residuals[..., end]).mean() for end in (0, 1)]
        return np.stack(ends, axis=-1)

    def of(self, measure: str | Measure) -> Array:
        """float64[run, topic]: the values of one measure."""
        return self.values[:, :, place_of_measure(measure, self.measures)]

    def sel(
        self,
        runs: Strings | None = None,
        topics: Strings | None = None,
        measures: str | Measure | Iterable[str | Measure] | None = None,
    ) -> Self:
        """The scores of some runs, topics or measures, in the order of the arguments."""
        run = range(len(self.runs)) if runs is None else find_places(runs, self.runs, "run")
        topic = range(len(self.topics)) if topics is None else find_places(topics, self.topics, "topic")
        wanted = self.measures if measures is None else choose_measures(measures, self.measures)
        column = [self.measures.index(measure) for measure in wanted]
        return replace(
            self,
            values=self.values[np.ix_(run, topic, column)],
            present=self.present[np.ix_(run, topic)],
            vacant=self.vacant[np.ix_(topic, column)],
            errors=None if self.errors is None else self.errors[np.ix_(run, topic, column)],
            residuals=None if self.residuals is None else self.residuals[np.ix_(run, topic, column)],
            as_often=None if self.as_often is None else self.as_often[np.ix_(run, topic, column)],
            runs=[self.runs[place] for place in run],
            topics=[self.topics[place] for place in topic],
            measures=wanted,
            coverage=self.coverage and self.coverage.select(run, topic),
            saved_judging=self.saved_judging and self.saved_judging.select(run, topic),
        )

    def by_slice(self) -> list[tuple[Slice, Self]]:
        """The slices of ``evaluate(..., by=)``, each with the scores of its topics; none where there are no slices."""
        if self.slices is None:
            return []
        whole = replace(self, slices=None)
        return [(one, whole.sel(topics=one.topics)) for one in self.slices.cut(self.topics)]

    def sorted_by(self, measure: str | Measure) -> Self:
        """The runs by the mean of a measure, the highest first; equal ones stay in order."""
        mean = self.mean()[:, place_of_measure(measure, self.measures)]
        return self.sel(runs=[self.runs[place] for place in np.argsort(-mean, kind="stable")])

    def table(
        self,
        digits: int = 4,
        *,
        by_topic: bool = False,
        ci: bool | IntervalMethod = False,
        seed: int = 0,
        coverage: bool = False,
    ) -> Table:
        """The means as a table, the best of each measure marked.

        Parameters
        ----------
        digits : decimals.
        by_topic : the value of every topic above the means; one that does not count is blank.
        ci : 95% confidence intervals with the means; a word is the method of ``ci()``. They replace residuals, which a
            table shows if there are any.
        seed : of the method "bootstrap".
        coverage : columns with the shares of tied lines and of missing topics, where coverage is known.
        """
        if self.slices is not None:
            return self._table_by_slice(by_topic, ci, digits=digits, seed=seed, coverage=coverage)
        means, how = self._known_means(), interval_arguments(ci, seed)
        bounds, ends = self._bounds(how)
        shares = {} if self.coverage is None or not coverage else self.coverage.shares()
        above = topic_rows(self.runs, self.topics, self.credited, self.counted, ends) if by_topic else None
        grid = means_grid(self.runs, self.measures, means, bounds, shares, digits, above)
        grid = grid if ends is None else name_ends(grid)
        about = [] if how is None else self.about_ci(**how)
        topics = "" if self.unit == "means" else plural(len(self.topics), ONE[self.unit])
        residuals = "" if bounds is None else "in brackets: the lowest and highest values that unjudged documents allow"
        grid = captioned(grid, topics, about[0] if about else residuals, above is not None)
        grid = replace(grid, label=as_label("means", " ".join(map(str, self.measures))))
        return Table([grid], self._records(by_topic, means, bounds, ends), [*self._about_draws(), *about])

    def _table_by_slice(self, by_topic: bool, ci: bool | IntervalMethod, **how: Any) -> Table:
        """The table of all topics, then of each slice; ``by_topic``: below the rows of single topics with their
        labels."""
        from gradeval.scores.slice_table import join_slices  # here, as few scores are sliced

        assert self.slices is not None  # as table() asks
        whole = replace(self, slices=None)
        parts = []
        for one, part in self.by_slice():
            try:
                parts.append((one, part.table(ci=ci if part._have_intervals else False, **how)))
            except InputError as error:
                raise error.within(str(one)) from None
        above = whole.table(by_topic=True, **how) if by_topic else None
        joined = join_slices(
            self.slices, self.unit, (self.topics, whole.table(ci=ci, **how)), parts, above, self.count_topics
        )
        about = [] if ci is False else self.about_ci(**(interval_arguments(ci, how["seed"]) or {}))
        grids = joined.grids
        if len(self.runs) == 1 and (tests := slices_grid(self, how["digits"])):
            grids = [*(replace(grid, title="means") for grid in grids), *tests]
        return replace(joined, grids=grids, notes=[*self._about_draws(), *about])

    @property
    def _have_intervals(self) -> bool:
        """Has every run enough topics for an interval by every measure?"""
        return len(self.topics) > 1 and int(self.counted.sum(1).min(initial=2)) > 1

    def _bounds(self, how: dict[str, Any] | None) -> tuple[Array | None, Array | None]:
        """float64[run, measure, 2] and float64[run, topic, measure, 2]: what stands with the means (intervals, or
        residuals) and with the values of topics (residuals); None: nothing."""
        if how is not None:
            return self.ci(**how), None
        return (None, None) if self.residuals is None else (self.residual_means(), self.residuals)

    def _about_draws(self) -> list[str]:
        """How exact the means over random orders of tied documents are."""
        if self.errors is None:
            return []
        largest = zip(self.measures, self.standard_errors().max(0).tolist(), strict=True)
        errors = ", ".join(f"{measure} {error:.1g}" for measure, error in largest if error)
        if not errors:
            return []
        from gradeval.kernels.tied import DRAWS  # imported where there are any

        return [f"averaged over {DRAWS} drawn orders of tied documents, standard error of a mean at most: {errors}"]

    def _records(self, by_topic: bool, means: Array, bounds: Array | None, ends: Array | None) -> Records:
        """The exact values of the table."""
        topics = self.topics if by_topic else []
        values, counted = self.credited[:, : len(topics)], self.counted[:, : len(topics)]
        ends = None if ends is None else ends[:, : len(topics)]
        return score_records(self.runs, topics, self.measures, means, bounds, values, counted, ends, self.seeds)

    def plot(self, *file: Any, **options: Any) -> Any:
        """The chart of the means with their intervals; ``save`` writes it. See ``gradeval.plot``."""
        return plot_result(self, options, file)

    def to_frame(self) -> pyarrow.Table:
        """All values as an Arrow table: columns run, topic, measure, value, present, vacant (the topic has nothing
        to be found) and (where they are known) levels, seeds, how many documents of the run are retrieved and judged
        for the topic (judged_top: of its first 10), and the value over judged documents alone, one row a value. Columns
        of the labels of slices come first.

        ``scores.to_pandas()`` and ``polars.from_arrow(scores.to_frame())`` turn it into theirs. The metadata of its
        schema hold the axes, how topics that are missing or empty count, and the version.
        """
        if self.slices is None:
            return to_arrow(self._exact())
        from gradeval.scores.slice_table import label_values  # here, as few scores are sliced

        return to_arrow(label_values(self._exact(), self.slices))

    def to_dict(self, names: Sequence[str] | None = None) -> dict[str, dict[str, dict[str, float]]]:
        """The values that count as ``{run: {topic: {measure: value}}}``.

        ``names``: what to call the measures, by default their spellings. A topic without a value that counts is left
        out, as is a topic that a run misses with ``missing="skip"``.
        """
        called = list(map(str, self.measures)) if names is None else list(names)
        if len(called) != len(self.measures):
            raise InputError(Given("names", called), f" are {len(called)} names for {len(self.measures)} measures")
        rows = zip(self.runs, self.credited.tolist(), strict=True)
        all_count = (self.unit, self.missing, self.empty) == ("topics", "zero", "zero")
        if not all_count and not (counted := self.counted).all():
            return {
                run: nested_values(self.topics, called, values, counts)
                for (run, values), counts in zip(rows, counted.tolist(), strict=True)
            }
        return {
            run: {topic: dict(zip(called, row, strict=True)) for topic, row in zip(self.topics, values, strict=True)}
            for run, values in rows
        }

    def _exact(self) -> Records:
        """Everything but the coverage, so that ``read_scores`` returns the same scores."""
        if self.unit == "means":
            self._require_topics()  # a mean that is not there is not written
        metadata: dict[str, Any] = {"format": FORMAT, "gradeval": __version__}
        metadata |= {"missing": self.missing, "empty": self.empty, "ties": self.ties}
        metadata |= {"unit": self.unit} if self.unit != "topics" else {}
        if self.collection is not None:
            metadata |= {"collection": self.collection.digest, "reading": list(self.collection.reading)}
            metadata |= {"joins": self.collection.joins} if self.collection.joins else {}
        asked = {run: text for run, text in ask_of_respelt_runs(self.notes).items() if run in self.runs}
        metadata |= {QUESTIONS: asked} if asked else {}
        axes = {"run": self.runs, "topic": self.topics, "measure": list(map(str, self.measures))}
        records = exact_records(
            axes, self.values, self.present, self.vacant, self.levels, metadata, self.residuals, self.seeds
        )
        return Records(
            {**records.fields, **judging_columns(self.values, self.judging, self.as_often)}, records.metadata
        )

    def _table_for(self, format: Format, /, **options: Any) -> Table:
        """Parquet holds everything, other exact formats the value of every topic; neither needs a grid."""
        if format.name == "parquet":
            return Table([], self._exact())
        if not format.exact:
            return self.table(**options)
        if self.slices is not None:
            return self.table(**{"by_topic": True, **options})
        how = interval_arguments(options.get("ci", False), options.get("seed", 0))
        return Table([], self._records(options.get("by_topic", True), self._known_means(), *self._bounds(how)))

    def __repr__(self) -> str:
        """The sizes and, where topics were scored, the table of the means."""
        counts = {axis: len(getattr(self, axis)) for axis in ("runs", "topics", "measures")}
        sizes = [f"{number} {axis if number != 1 else axis[:-1]}" for axis, number in counts.items()]
        shown = f"\n{self}" if self.topics and self.counted.any(1).all() else ""
        return f"Scores({', '.join(sizes)}){shown}"


def interval_arguments(ci: bool | IntervalMethod, seed: int) -> dict[str, Any] | None:
    """The arguments of ``Scores.ci`` for what a table is asked for; None: no intervals."""
    return None if ci is False else {"method": None if ci is True else ci, "seed": seed}


def require_policies(missing: str, empty: str) -> None:
    """Refuse unknown words for the treatment of missing and empty topics."""
    arguments.one_of("missing", missing, MISSING)
    arguments.one_of("empty", empty, EMPTY)


def find_places(wanted: Strings, known: Sequence[str], what: str) -> list[int]:
    """Where some runs or topics (``what``) stand among those known; an InputError for an unknown name."""
    places = {name: place for place, name in enumerate(known)}
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    if what == "run":
        names = [name if name in places else find_run(name, known) or name for name in names]
    for name in names:
        if name not in places:
            raise InputError(f"no {what} {name!r}{nearest(name, known)}; the {what}s are {list_some(known)}")
    return [places[name] for name in names]
