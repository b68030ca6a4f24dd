"""Means of runs from a few human grades and many grades of a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha
from gradeval.formula.arithmetic import Array, ratio, rounded
from gradeval.formula.definition import Measure
from gradeval.messages import list_some, plural
from gradeval.scores.evaluation import DEFAULT
from gradeval.scores.intervals import has_range, score_bounds
from gradeval.scores.joining import require_same_ties
from gradeval.scores.scores import Scores, Unit
from gradeval.studies.assisted_estimates import LEAST_TOPICS, Estimates, TopicsAre, estimate_means
from gradeval.studies.study import Result, study
from gradeval.studies.study_parameters import OtherScores
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table
from gradeval.warning_categories import Note, NoteWeight

FIELDS = (
    "run measure statistic value lower upper correlation worth worth_lower worth_upper limit human_topics model_topics "
    "topics_are alpha ties"
).split()


@dataclass(frozen=True, eq=False, repr=False)
class AssistedMeans(Result):
    """Means of runs over topics, from few human and many model grades, and means from the human grades alone.

    Attributes
    ----------
    value, interval : float64[run, measure], float64[run, measure, 2]; NaN where there is no interval, as a line through
        the model's values fits without error.
    human, human_interval : the same from the human topics alone.
    estimates : slopes, correlations, what the human topics are worth ...: arrays [run, measure], on the scale on which
        topics are averaged (logarithms for geometric means).
    runs, measures, human_topics, model_topics : what was estimated.
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
        topics = describe_topics(self.topics_are, len(self.human_topics), len(self.model_topics), self.unit)
        return (
            f"{topics}; Wilson's score interval, for other measures than those from 0 to 1 Student's t, "
            f"{1 - self.alpha:.4g} confidence"
        )

    def table(self, digits: int = 4) -> Table:
        """A grid for each measure, a row a run: the estimate, the human topics alone, and what these are worth."""
        grids = [self._grid(place, digits) for place in range(len(self.measures))]
        return Table(grids, Records.of(FIELDS, self._records()))

    def _grid(self, measure: int, digits: int) -> Grid:
        columns = [
            Column("run", "name"),
            Column(f"{self.measures[measure]}, assisted", spec=f".{digits}f"),
            Column("human alone", spec=f".{digits}f"),
            *WORTH,
        ]
        rows: list[list[Cell]] = []
        alone = stands_alone(self.estimates)
        for run, name in enumerate(self.runs):
            at = run, measure
            means = [
                Estimate(float(values[at]), mark, bounds=known_bounds(bounds[at]))
                for values, mark, bounds in (
                    (self.value, ALONE if alone[at] else "", self.interval),
                    (self.human, "", self.human_interval),
                )
            ]
            rows.append([name, *means, *cells_of_worth(self.estimates, at)])
        foot = ABOUT_ALONE if alone[:, measure].any() else ""
        return Grid(columns, rows, title=str(self.measures[measure]), foot=foot)

    def _records(self) -> Iterator[list[Value]]:
        counts: list[Value] = [len(self.human_topics), len(self.model_topics), self.topics_are, self.alpha, self.ties]
        for run, name in enumerate(self.runs):
            for measure, of in enumerate(map(str, self.measures)):
                at = run, measure
                worth = values_of_worth(self.estimates, at)
                for statistic, values, bounds, more in (
                    ("assisted", self.value, self.interval, worth),
                    ("human alone", self.human, self.human_interval, [None] * len(worth)),
                ):
                    ends = known_bounds(bounds[at]) or (None, None)
                    yield [name, of, statistic, float(values[at]), *ends, *more, *counts]


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

    The judgments are the human grades. The model may be biased: the estimator corrects it by how its values follow the
    human ones (see ``estimate_means`` for the formulas). It is valid for any measure, if the topics with human grades
    are a random sample of the topics that the model graded. Measures of few values, such as RR and P@1, are estimated
    from the human topics alone: if on average over the runs a third of these have the same value, a line through the
    values says little about its own error.

    Parameters
    ----------
    alpha : the intervals cover 1 - alpha.
    model : a model's grades of the topics of the humans, and of more.
    topics_are : whether the topics that the model graded are a sample, or all. "sample": a sample of the topics of
        interest; "all": all of them.

    Raises
    ------
    InputError : fewer than 8 human topics, no topic that only the model graded, a topic that it did not grade, scores
        of different runs, measures or treatments of ties, a measure that adds up over topics.
    Source: Cochran (1977), Sampling Techniques, sections 7.3 and 12.6.
    """
    paired = pair_scores(human, model, topics_are)
    shape = paired.human.shape[1:]
    few = np.broadcast_to(has_few_values(paired.human), shape)
    flat = (paired.human.reshape(len(paired.human), -1), paired.model.reshape(len(paired.model), -1))
    estimates = estimate_means(*flat, paired.both, paired.topics_are, alpha, alone=few.ravel()).reshape(shape)
    assisted, alone = find_intervals(estimates, paired, human.measures, alpha)
    geometric = np.array([measure.definition.aggregate == "geometric" for measure in human.measures])

    def back(values: Array) -> Array:
        """From the scale of averages to the scale of the measure."""
        kind = geometric.reshape(1, -1, *[1] * (values.ndim - 2))
        return np.where(kind, np.exp(np.where(kind, values, 0.0)), values)

    means = AssistedMeans(
        value=back(estimates.value),
        interval=back(assisted),
        human=back(estimates.human),
        human_interval=back(alone),
        estimates=estimates,
        runs=human.runs,
        measures=human.measures,
        human_topics=human.topics,
        model_topics=model.topics,
        topics_are=paired.topics_are,
        alpha=alpha,
        ties=human.ties,
        unit=human.unit,
    )
    about = about_worth(means.description, estimates.slope, estimates.correlation, means.measures, means.unit)
    return replace(means, notes=[*about, *_about_worst_runs(means)])


FEW = 20
"""Human topics up to which it is said how often the intervals of the worst run hold."""
WORST = {
    "AP(rel=2)": (0.90, 0.86),
    "nDCG@10": (0.80, 0.88),
    "GAP": (0.90, 0.89),
    "Q": (0.88, 0.90),
    "RBP": (0.83, 0.89),
}
"""How often 95% intervals of the run that is covered least held the mean over 10 and over 20 human topics, by measure:
of 63 public runs with the grades of GPT-4o (docs/judges/conformal.md)."""


def _about_worst_runs(means: AssistedMeans) -> Iterator[Note]:
    """How often intervals of the worst run hold over few human topics, by the measures that were counted."""
    counted = [str(measure) for measure in means.measures if str(measure) in WORST]
    if len(means.human_topics) > FEW or not counted:
        return
    held = [" and ".join(f"{share:.2f}" for share in WORST[name]) for name in counted]
    shown = ", ".join(f"{share} ({name})" for share, name in zip(held, counted, strict=True))
    yield Note.doubt(
        f"with 10 and 20 human {means.unit} intervals are too narrow; 95% intervals of the worst of 63 runs held its "
        f"mean in {shown} of trials (docs/judges/conformal.md)"
    )


def known_bounds(bounds: Array) -> tuple[float, float] | None:
    """Both ends of an interval [2]; None where there is none (NaN)."""
    low, high = bounds.tolist()
    return None if np.isnan(low) or np.isnan(high) else (low, high)


FEW_VALUES = 1 / 3
"""Mean share of the human topics with one and the same value, from which on a measure has few values: of 20 topics of
TREC DL 2021 it is .05 by AP and GAP, .41 by P@10, .85 by RR and P@1."""


def has_few_values(human: Array) -> Array:
    """bool[measure]: do many topics of human[topic, run, measure] have one value, on average over the runs?"""
    ordered = np.sort(rounded(np.moveaxis(human, 0, -1)), axis=-1)  # [run, measure, topic]
    same = ordered[..., 1:] == ordered[..., :-1]
    longest = run = np.zeros(same.shape[:-1])
    for column in np.moveaxis(same, -1, 0):
        run = np.where(column, run + 1, 0)
        longest = np.maximum(longest, run)
    return np.asarray(((longest + 1) / len(human)).mean(0) >= FEW_VALUES)


def find_intervals(
    estimates: Estimates, paired: PairedScores, measures: Sequence[Measure], alpha: float
) -> tuple[Array, Array]:
    """float64[run, measure, 2], twice: of the assisted means, and of the means of the human topics alone.

    For a measure from 0 to 1 both are Wilson's: the variance of a mean is taken as a share of the largest one that is
    possible between 0 and 1 (see ``scores.intervals``), so that the interval stays there and is longer towards the
    middle. One more topic of the largest variance joins the n topics, as equal values are no proof, and
    with the finite population correction f of ``estimate_means`` (1 for a sample) human topics alone have the variance

        f (sum of (h - mean)^2 + mean (1 - mean)) / n^2,

    and theta V (freedom / n) + (V / V_n) f theta (1 - theta) / n^2, with the model's share V / V_n in the variance of n
    human topics. Other measures have Student's t. NaN where a variance is 0.
    """
    n, topics = paired.human.shape[0], paired.model.shape[0]
    finite = 1 - n / topics if paired.topics_are == "all" else 1.0
    everything = np.concatenate([paired.human, paired.model]).swapaxes(0, 1)  # [run, topic, measure]
    counted = np.ones(everything.shape, bool)
    ranged = [
        measure.definition.aggregate == "mean" and has_range(measure, everything[..., place], counted[..., place])
        for place, measure in enumerate(measures)
    ]
    share = ratio(np.square(estimates.error), np.square(estimates.human_error))
    share = np.where(estimates.slope == 0, 1.0, share)  # the human topics alone, whatever their variance
    intervals = []
    for value, error, reach, freedom, part in (
        (estimates.value, estimates.error, estimates.reach, estimates.freedom, share),
        (
            estimates.human,
            estimates.human_error,
            estimates.human_reach,
            np.full(share.shape, n - 1),
            np.ones(share.shape),
        ),
    ):
        mean = np.clip(value, 0.0, 1.0)
        largest = mean * (1 - mean)
        variance = np.square(error) * freedom / n + part * finite * largest / n**2
        phi = np.where(largest > 0, np.minimum(ratio(variance, largest), finite * (n + 1) / n**2), finite / n)
        bounds = np.stack(score_bounds(mean, phi, alpha), axis=-1)
        plain = np.stack([value - reach, value + reach], axis=-1)
        chosen = np.where(np.array(ranged)[:, None], bounds, plain)
        intervals.append(np.where((chosen[..., :1] < chosen[..., 1:]), chosen, np.nan))
    return intervals[0], intervals[1]


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Values of the same runs by the same measures, by human and by model grades, on the scale of averages.

    Attributes
    ----------
    human : float64[n, run, measure]
    model : float64[T, run, measure]
    both : intp[n]: the places of the human topics among the topics of the model.
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
    require_same_ties([human.ties, model.ties])
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
    """intp[n]: the places of the human topics among the topics of the model."""
    place = {topic: number for number, topic in enumerate(model)}
    if lacking := [topic for topic in human if topic not in place]:
        raise InputError(
            f"the model graded no document of {len(lacking)} of {plural(len(human), 'human topic')} "
            f"({list_some(lacking)}); grade them with the model, too, or leave them out"
        )
    if len(human) < LEAST_TOPICS:
        raise InputError(
            f"{plural(len(human), 'topic')} with human grades; grade {LEAST_TOPICS} or more: with fewer, the slope of "
            "the model and the residual variance cannot be estimated"
        )
    if len(model) == len(human):
        raise InputError(
            f"the model graded only the {len(human)} topics that have human grades, so it adds nothing; grade more "
            "topics with the model, or leave it out"
        )
    return np.array([place[topic] for topic in human])


def _require_usable(scores: Scores, what: str) -> None:
    if scores.missing != "zero" or scores.empty == "skip":
        policy = "missing" if scores.missing != "zero" else "empty"
        raise InputError(
            f"{policy}={getattr(scores, policy)!r} may leave out different topics by human and by model grades; "
            f"accepted: {policy}='zero', which counts them as 0"
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


def describe_topics(topics_are: TopicsAre, human: int, model: int, unit: Unit) -> str:
    """Which topics there are, and what they stand for."""
    stand = {"sample": "a sample of a larger population", "all": f"all {unit} there are"}[topics_are]
    return (
        f"humans graded {human} {unit}, which we take to be a random sample of the {model} that the model graded; "
        f"these {model} are {stand}"
    )


WORTH = (Column("correlation", spec=".3f"), Column("effective size", spec=".1f"), Column("size at most", spec=".1f"))
"""The columns of ``cells_of_worth``."""


def about_worth(description: str, slope: Array, correlation: Array, measures: list[Measure], unit: Unit) -> list[Note]:
    """What was estimated, what ``cells_of_worth`` are, which estimates, [..., measure], are of human grades alone."""
    worth = (
        f"effective size: how many {unit} with human grades alone would give the same variance; size at most: the "
        f"effective size if the model graded unlimited {unit}"
    )
    return [
        Note.method(description),
        Note.method(worth),
        *(
            Note(text, own_weight=NoteWeight.OMISSION)
            for text in _about_constants(slope == 0, correlation, measures, unit)
        ),
    ]


ALONE, ABOUT_ALONE = "†", "† of human grades alone, as too few values differ"
"""The mark of an estimate without the model's help, and what it says below the table."""


def stands_alone(estimates: Estimates) -> Array:
    """bool[...]: which estimates are of the human topics alone, as too few values differ to learn from the model?"""
    return np.asarray((estimates.slope == 0) & np.isnan(estimates.correlation))


def cells_of_worth(estimates: Estimates, at: tuple[int, int]) -> list[Cell]:
    """The correlation and what the human topics are worth; None where that is undefined."""
    correlation, worth, low, high, limit = values_of_worth(estimates, at)
    bounds = None if low is None or high is None or low == high else (low, high)
    return [correlation, None if worth is None else Estimate(worth, bounds=bounds), limit]


def values_of_worth(estimates: Estimates, at: tuple[int, int]) -> list[float | None]:
    """The correlation, and in topics what the human ones are worth, with its interval, and the limit; None where that
    is undefined."""
    ends = estimates.worth_bounds[at].tolist()
    values = [float(estimates.correlation[at]), float(estimates.worth[at]), *ends, float(estimates.limit[at])]
    return [value if np.isfinite(value) else None for value in values]


def _about_constants(flat: Array, correlation: Array, measures: list[Measure], unit: Unit) -> Iterator[str]:
    """How many estimates, [..., measure], are of the human topics alone, as too few values differ to learn anything."""
    useless = (flat & np.isnan(correlation)).reshape(-1, len(measures))
    number = int(useless.sum())
    if number:
        some = [str(measure) for place, measure in enumerate(measures) if useless[:, place].any()]
        yield (
            f"{number} of {useless.size} estimates use the human {unit} alone ({list_some(some)}); too few values "
            "differ to fit a line from model to human values"
        )
