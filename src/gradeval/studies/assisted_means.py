"""Means of runs from few human and many model grades, with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Literal, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha
from gradeval.formula.arithmetic import SAME, Array, ratio, tiny
from gradeval.formula.definition import Measure
from gradeval.scores.evaluation import DEFAULT
from gradeval.scores.notes import Note, list_some, plural
from gradeval.scores.scores import Scores, require_same_ties
from gradeval.studies.study import OtherScores, Result, study
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

FIELDS = (
    "run measure statistic value lower upper correlation worth limit human_topics model_topics topics_are alpha ties"
).split()


@dataclass(frozen=True, eq=False, repr=False)
class AssistedMeans(Result):
    """Means of runs over topics, from few human and many model grades, beside those from the human grades alone.

    Attributes
    ----------
    value, interval : float64[run, measure], float64[run, measure, 2]
    human, human_interval : the same from the human topics alone.
    estimates : slopes, correlations, what the human topics are worth ...: arrays [run, measure], on the scale on which
        topics are averaged (logarithms for geometric means).
    runs, measures, human_topics, model_topics : what the numbers are of.
    topics_are, alpha : as for ``assisted_means``.
    ties : how equal scores were treated.
    """

    value: Array
    interval: Array
    human: Array
    human_interval: Array
    estimates: Estimates
    runs: list[str]
    measures: list[Measure]
    human_topics: list[str]
    model_topics: list[str]
    topics_are: TopicsAre
    alpha: float
    ties: str | None

    @property
    def description(self) -> str:
        """Where the intervals come from, in a sentence."""
        topics = describe_topics(self.topics_are, len(self.human_topics), len(self.model_topics))
        return f"{topics}; Student's t, {1 - self.alpha:.4g} confidence"

    def table(self, digits: int = 4) -> Table:
        """A grid for each measure, a row a run: the estimate, the human topics alone, and what these are worth."""
        grids = [self._grid(place, digits) for place in range(len(self.measures))]
        return Table(grids, Records.of(FIELDS, self._records()), list(map(str, self.notes)))

    def _grid(self, measure: int, digits: int) -> Grid:
        columns = [
            Column("run", "name"),
            Column(f"{self.measures[measure]}, assisted", spec=f".{digits}f"),
            Column("human alone", spec=f".{digits}f"),
            *WORTH,
        ]
        rows: list[list[Cell]] = []
        for run, name in enumerate(self.runs):
            at = run, measure
            means = [
                Estimate(float(values[at]), bounds=(float(bounds[at][0]), float(bounds[at][1])))
                for values, bounds in ((self.value, self.interval), (self.human, self.human_interval))
            ]
            rows.append([name, *means, *cells_of_worth(self.estimates, at)])
        return Grid(columns, rows, title=str(self.measures[measure]))

    def _records(self) -> Iterator[list[Value]]:
        counts: list[Value] = [len(self.human_topics), len(self.model_topics), self.topics_are, self.alpha, self.ties]
        for run, name in enumerate(self.runs):
            for measure, of in enumerate(map(str, self.measures)):
                at = run, measure
                worth = values_of_worth(self.estimates, at)
                yield [name, of, "assisted", float(self.value[at]), *self.interval[at].tolist(), *worth, *counts]
                alone = [float(self.human[at]), *self.human_interval[at].tolist(), None, None, None]
                yield [name, of, "human alone", *alone, *counts]


@study(
    measures=DEFAULT,
    examples="""
      gradeval assisted-means human.txt runs/* --model model.txt -m "GAP nDCG@10"
      gradeval assisted-means human.txt runs/* --model model.txt -m GAP --topics-are all -o means.tsv""",
)
def assisted_means(
    human: Scores, /, *, alpha: Alpha = 0.05, model: OtherScores, topics_are: TopicsAre = "sample"
) -> AssistedMeans:
    """Estimate means of runs from human grades of few topics and a model's grades of many.

    The judgments are the human grades. The model may be biased: the estimator corrects it by how its values go with the
    human ones (see ``estimate_means`` for the formulas). It is valid where the topics with human grades are a random
    sample of those that the model graded, for any measure.

    Parameters
    ----------
    alpha : the intervals cover 1 - alpha.
    model : a model's grades of the topics of the humans, and of more.
    topics_are : the topics that the model graded are a sample of those of interest ("sample"), or all of them ("all").

    Raises
    ------
    InputError : fewer than 8 human topics, no topic that only the model graded, a topic that it did not grade, scores
        of different runs, measures or treatments of ties, a measure that adds up over topics.
    Source: Cochran (1977), Sampling Techniques, sections 7.3 and 12.6.
    """
    paired = pair_scores(human, model, topics_are)
    shape = paired.human.shape[1:]
    flat = (paired.human.reshape(len(paired.human), -1), paired.model.reshape(len(paired.model), -1))
    estimates = estimate_means(*flat, paired.both, paired.topics_are, alpha).reshape(shape)
    geometric = np.array([measure.definition.aggregate == "geometric" for measure in human.measures])

    def back(values: Array) -> Array:
        """From the scale of averages to that of the measure."""
        kind = geometric.reshape(1, -1, *[1] * (values.ndim - 2))
        return np.where(kind, np.exp(np.where(kind, values, 0.0)), values)

    means = AssistedMeans(
        value=back(estimates.value),
        interval=back(interval_of(estimates.value, estimates.reach)),
        human=back(estimates.human),
        human_interval=back(interval_of(estimates.human, estimates.human_reach)),
        estimates=estimates,
        runs=human.runs,
        measures=human.measures,
        human_topics=human.topics,
        model_topics=model.topics,
        topics_are=paired.topics_are,
        alpha=alpha,
        ties=human.ties,
    )
    about = about_worth(means.description, estimates.slope, estimates.correlation, means.measures)
    return replace(means, notes=about)


def interval_of(value: Array, reach: Array) -> Array:
    """float64[..., 2]: the bounds of an interval around each value."""
    return np.stack([value - reach, value + reach], axis=-1)


TopicsAre: TypeAlias = Literal["sample", "all"]

LEAST_TOPICS = 8
"""Human topics: a slope and a residual variance from fewer are too uncertain for any interval."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means over topics of several quantities, by humans with the help of a model and by humans alone: [quantity] each.

    Attributes
    ----------
    value, error : the estimate and its standard error.
    reach : half of the width of its interval.
    human, human_error, human_reach : the same from the human topics alone.
    slope : lam, the human value that goes with one more of the model's; 0 where the human topics stand alone (see
        ``estimate_means``).
    correlation : of human and model values over the human topics; NaN where these stand alone, or the human values are
        constant.
    worth : how many topics with human values alone have the same variance; infinite where that is 0.
    limit : what the human topics would be worth if the model had graded infinitely many.
    freedom : degrees of freedom of the residual variance; n - 1 instead of n - 2 where the human topics stand alone.
    """

    value: Array
    error: Array
    reach: Array
    human: Array
    human_error: Array
    human_reach: Array
    slope: Array
    correlation: Array
    worth: Array
    limit: Array
    freedom: Array

    def reshape(self, shape: tuple[int, ...]) -> Estimates:
        """The same estimates, their arrays in another shape."""
        return Estimates(**{each.name: getattr(self, each.name).reshape(shape) for each in fields(self)})


def estimate_means(human: Array, model: Array, both: Array, topics_are: TopicsAre, alpha: float = 0.05) -> Estimates:
    """Estimate means over topics from few human and many model values.

    For n topics with human values h and model values m, and T topics with model values,

        theta = mean_n(h) + lam (mean_T(m) - mean_n(m)),    lam = cov_n(h, m) / var_n(m),

    whose variance is, with s2 the residual variance of h on m (n - 2 degrees of freedom) and
    S = sum_n (m - mean_n(m))^2,

        sample   s2/n (1 + n (mean_T(m) - mean_n(m))^2 / S) + lam^2 var_T(m)/T    (the T topics are of a population)
        all      (1 - n/T) s2/n (1 + n (mean_T(m) - mean_n(m))^2 / S)             (they are all there are)

    and the interval that of Student's t. It is valid where the n human topics are a random sample of the T, whatever
    the model's bias. The variance of N human topics alone is V_N = var_n(h)/N (sample), or (1 - N/T) var_n(h)/N (all).
    The n topics are worth the N for which V_N is the variance of theta:

        sample   N = var_n(h) / V            all   N = 1 / (1/T + V / var_n(h))

    With the correlation r that is about 1 / ((1 - r^2)/n + r^2/T), at most T; for infinite T it is n var_n(h) / s2,
    about n / (1 - r^2), the ``limit``.

    Parameters
    ----------
    human : float64[n, quantity]
    model : float64[T, quantity]
    both : intp[n]: the places of the human topics among those of the model.
    alpha : intervals cover 1 - alpha.

    Where the model's values are the same for all n topics there is no line, and where they are but for one topic, the
    line goes through that topic, whatever its human value: its residual is 0 and says nothing of the errors. No more
    does a perfect fit to only two values, as P@1 has them. The human topics then stand alone.

    Source: Cochran (1977), Sampling Techniques, section 7.3 (the linear regression estimator), double sampling in
    section 12.6; Angelopoulos et al. (2023), "Prediction-powered inference", for the same idea with model labels.
    """
    from scipy.special import stdtrit

    n, topics = len(human), len(model)
    beside = model[both]
    h, m = _centred(human), _centred(beside)
    squares = np.square(m).sum(0)
    slope = ratio((h * m).sum(0), squares)
    ahead = model.mean(0) - beside.mean(0)
    residual = _without_rounding(h - slope * m, human)
    constant = _says_nothing(m, squares, residual)
    slope = np.where(constant, 0.0, slope)
    freedom = np.where(constant, n - 1, n - 2)
    s2 = np.square(residual).sum(0) / freedom
    own = np.square(h).sum(0) / (n - 1)
    finite = 1 - n / topics if topics_are == "all" else 1.0
    variance = finite * s2 / n * (1 + n * ratio(np.square(ahead), squares))
    if topics_are == "sample":
        variance = variance + np.square(slope) * model.var(0, ddof=1) / topics
    variance = np.where(constant, finite * own / n, variance)
    human_variance = finite * own / n
    tail = 1 - alpha / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(own > 0, variance / own, 1 / n - (1 / topics if topics_are == "all" else 0))
        worth = 1 / (share + (1 / topics if topics_are == "all" else 0))
        limit = np.where(own > 0, n * own / s2, n)
        correlation = (h * m).sum(0) / np.sqrt(np.square(h).sum(0) * squares)
    return Estimates(
        value=human.mean(0) + slope * ahead,
        error=np.sqrt(variance),
        reach=np.sqrt(variance) * stdtrit(freedom, tail),
        human=human.mean(0),
        human_error=np.sqrt(human_variance),
        human_reach=np.sqrt(human_variance) * stdtrit(n - 1, tail),
        slope=slope,
        correlation=np.where(constant | (own == 0), np.nan, correlation),
        worth=np.where(constant, n, worth),
        limit=np.where(constant, n, limit),
        freedom=freedom,
    )


def _says_nothing(deviations: Array, squares: Array, residual: Array) -> Array:
    """bool[quantity]: would a line through the model's deviations[topic, quantity] fit any human values?

    With one value d beside the others, that topic deviates by (1 - 1/n) d and S is (1 - 1/n) d^2.
    """
    n = len(deviations)
    largest = np.square(deviations).max(0, initial=0.0)
    on_one_topic = largest >= (1 - 1 / n) * squares * (1 - SAME)
    reach = np.abs(deviations).max(0, initial=0.0)
    ends = [tiny(deviations - end(deviations, 0), reach) for end in (np.min, np.max)]
    through_two_points = np.logical_or(*ends).all(0) & ~residual.any(0)
    return np.asarray(on_one_topic | through_two_points)


def _centred(values: Array) -> Array:
    """The values [topic, quantity] less their means; exactly 0 where they are equal but for rounding."""
    return _without_rounding(values - values.mean(0), values)


def _without_rounding(deviations: Array, values: Array) -> Array:
    scale = np.abs(values).max(0, initial=0.0)
    return np.where(tiny(np.abs(deviations).max(0, initial=0.0), scale), 0.0, deviations)


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Values of the same runs by the same measures, by human and by model grades, on the scale of averages.

    Attributes
    ----------
    human : float64[n, run, measure]
    model : float64[T, run, measure]
    both : intp[n]: the places of the human topics among those of the model.
    topics_are : see ``estimate_means``.
    """

    human: Array
    model: Array
    both: Array
    topics_are: TopicsAre


def pair_scores(human: Scores, model: Scores, topics_are: TopicsAre) -> PairedScores:
    """Put both side by side; an InputError where they do not fit together or are too few."""
    for scores, what in ((human, "human"), (model, "model")):
        _require_usable(scores, what)
    require_same_ties([human, model])
    if (human.missing, human.empty) != (model.missing, model.empty):
        raise InputError("scores by human and by model grades treat missing or empty topics differently; score alike")
    both = _find_topics(human.topics, model.topics)
    try:
        beside = model.sel(runs=human.runs, measures=human.measures)
    except InputError as error:
        raise InputError(f"the scores by model grades lack what those by human grades have: {error}") from None
    by_human, by_model = (np.moveaxis(scores.transformed(), 0, 1) for scores in (human, beside))
    return PairedScores(by_human, by_model, both, topics_are)


def _find_topics(human: list[str], model: list[str]) -> Array:
    """intp[n]: the places of the human topics among those of the model."""
    place = {topic: number for number, topic in enumerate(model)}
    if lacking := [topic for topic in human if topic not in place]:
        raise InputError(
            f"the model graded no document of {len(lacking)} of {plural(len(human), 'human topic')} "
            f"({list_some(lacking)}); grade them with the model, too, or leave them out"
        )
    if len(human) < LEAST_TOPICS:
        raise InputError(
            f"{plural(len(human), 'topic')} with human grades: fewer than {LEAST_TOPICS} do not show how far the model "
            "can be trusted (its slope and the residual variance are estimated from them); grade more topics"
        )
    if len(model) == len(human):
        raise InputError(
            f"the model graded only the {len(human)} topics that have human grades, so it adds nothing; grade more "
            "topics with the model, or leave it out"
        )
    return np.array([place[topic] for topic in human])


def _require_usable(scores: Scores, what: str) -> None:
    if "skip" in (scores.missing, scores.empty):
        policy = "missing" if scores.missing == "skip" else "empty"
        raise InputError(
            f"{policy}='skip' may leave out different topics by human and by model grades; accepted: {policy}='zero', "
            "which counts them as 0"
        )
    for measure in scores.measures:
        if measure.definition.aggregate == "sum":
            raise InputError(f"{measure} adds up over topics, and only means over topics are estimated; leave it out")
    if not np.isfinite(scores.values).all():
        run, topic, place = np.argwhere(~np.isfinite(scores.values))[0]
        raise InputError(
            f"scores by {what} grades: {scores.measures[place]} of run {scores.runs[run]!r} for topic "
            f"{scores.topics[topic]!r} is {scores.values[run, topic, place]}; give finite numbers"
        )


def describe_topics(topics_are: TopicsAre, human: int, model: int) -> str:
    """Which topics there are, and what they stand for."""
    stand = {"sample": "a sample of a larger population", "all": "all there are"}[topics_are]
    return (
        f"{human} topics with human grades, taken to be a random sample of the {model} that the model graded; these "
        f"are {stand}"
    )


WORTH = (Column("correlation", spec=".3f"), Column("worth", spec=".1f"), Column("limit", spec=".1f"))
"""The columns of ``cells_of_worth``."""


def about_worth(description: str, slope: Array, correlation: Array, measures: list[Measure]) -> list[Note]:
    """What was estimated, what ``cells_of_worth`` are, which estimates, [..., measure], are of human grades alone."""
    worth = (
        "worth: how many topics with human grades alone have the same variance; limit: if the model graded infinitely "
        "many"
    )
    return [*map(Note, [description, worth, *_about_constants(slope == 0, correlation, measures)])]


def cells_of_worth(estimates: Estimates, at: tuple[int, int]) -> list[Cell]:
    """The correlation and what the human topics are worth; None where that is undefined."""
    return [None if value is None else float(value) for value in values_of_worth(estimates, at)]


def values_of_worth(estimates: Estimates, at: tuple[int, int]) -> list[float | None]:
    """The correlation, and in topics what the human ones are worth; None where that is undefined."""
    values = [float(each[at]) for each in (estimates.correlation, estimates.worth, estimates.limit)]
    return [value if np.isfinite(value) else None for value in values]


def _about_constants(flat: Array, correlation: Array, measures: list[Measure]) -> Iterator[str]:
    """How many estimates, [..., measure], are of the human topics alone, as too few values differ to learn anything."""
    useless = (flat & np.isnan(correlation)).reshape(-1, len(measures))
    number = int(useless.sum())
    if number:
        some = [str(measure) for place, measure in enumerate(measures) if useless[:, place].any()]
        yield (
            f"{number} of {useless.size} estimates are of the human topics alone, as too few human or model values "
            f"differ among them ({list_some(some)})"
        )
