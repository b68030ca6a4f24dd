"""Does the order of the runs survive on an interval scale?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gradeval.arguments import Alpha
from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import DIGITS, Array, means_of_columns, rounded
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.messages import list_some, plural
from gradeval.progress import Progress
from gradeval.scores.scores import Scores
from gradeval.studies.correlation import correlation_matrix, is_constant
from gradeval.studies.requirements import refuse_constant, require_enough
from gradeval.studies.significance import TESTS, all_pairs, differences_of, holm, name_correction, pair_values
from gradeval.studies.study import Judged, Result, study
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

AmongValues: TypeAlias = Literal["attainable", "observed"]

MOST_LISTS = 2**20
"""The most lists of grades that are tried for a measure: 10 documents of 4 grades."""
AT_ONCE = 2**16  # lists that are scored together
STATISTICS = "kendall swaps values_apart steps_apart both_apart reversed".split()
"""What the records say of a measure."""


@dataclass(frozen=True, eq=False, repr=False)
class IntervalScales(Result):
    """Runs by the values of measures, and by the same values at equal steps.

    Attributes
    ----------
    means, steps : float64[measure, run]: the means over topics of the values, and of the equal steps, from 0 to 1.
    corrected : float64[measure, 2, pair]: p values of t after Holm's correction, by the values and by the steps.
    signs : int64[measure, 2, pair]: which run of a pair has the higher mean: 1 the first, -1 the second, 0 none.
    tau : float64[measure]: Kendall's tau-b of the two orders of the runs.
    number : int64[measure, 2]: the fewest and the most values that a topic has.
    among : [measure]: what the steps count: values that are attainable, or those that were observed.
    pairs : intp[pair, 2]: places of the two runs.
    measures, runs, topics, alpha : what was studied.
    """

    means: Array
    steps: Array
    corrected: Array
    signs: Array
    tau: Array
    number: Array
    among: list[AmongValues]
    pairs: Array
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    alpha: float

    @property
    def swaps(self) -> Array:
        """int64[measure]: pairs of runs that the two orders put differently; ties are no swap."""
        return np.asarray((self.signs.prod(1) < 0).sum(-1))

    @property
    def apart(self) -> Array:
        """bool[measure, 2, pair]: is the pair told apart, by the values and by the steps?"""
        return self.corrected < self.alpha

    @property
    def reversed(self) -> Array:
        """int64[measure]: pairs told apart by both, in opposite directions."""
        return np.asarray((self.apart.all(1) & (self.signs.prod(1) < 0)).sum(-1))

    def table(self, digits: int = 3) -> Table:
        """A row a measure: its steps, how the order of the runs changes, and which pairs of runs are told apart."""
        apart = self.apart
        leads = [
            [self.runs[int(means.argmax())] for means in both] for both in zip(self.means, self.steps, strict=True)
        ]
        most = [f"{few:,}" if few == many else f"{few:,} to {many:,}" for few, many in self.number.tolist()]
        grid = Grid.of_columns(
            (Column("measure", "name"), map(str, self.measures)),
            (Column("values", "text"), [f"{n} {how}" for n, how in zip(most, self.among, strict=True)]),
            (Column("tau", spec=f".{digits}f"), self.tau),
            (Column("swapped pairs", "text"), [f"{number} of {len(self.pairs)}" for number in self.swaps]),
            (Column("pairs told apart", spec="d"), apart[:, 0].sum(-1)),
            (Column("pairs by steps", spec="d"), apart[:, 1].sum(-1)),
            (Column("pairs by both", spec="d"), apart.all(1).sum(-1)),
            (Column("best", "text"), [one if one == other else f"{one}, by steps {other}" for one, other in leads]),
        )
        return Table([grid], self._records())

    def _records(self) -> Records:
        """What is said of each measure, then the two means of each run."""
        apart = self.apart
        counts = [self.tau, self.swaps, *apart.sum(-1).T, apart.all(1).sum(-1), self.reversed]
        of_measures = Records.over(
            {"measure": self.measures, "statistic": STATISTICS}, value=np.stack(counts, axis=-1).astype(float)
        )
        of_runs = Records.over(
            {"measure": self.measures, "statistic": ["mean", "mean_step"], "run": self.runs},
            value=np.stack([self.means, self.steps], axis=1),
        )
        return of_measures.then(of_runs)

    @property
    def description(self) -> str:
        """What was done, in a sentence."""
        return (
            "equal steps: a value is replaced by its place among all values, so that neighbours are equally far apart; "
            f"told apart: t test, {name_correction('holm')} for {plural(len(self.pairs), 'pair')}, alpha {self.alpha:g}"
        )


@study(
    measures="P@10 RR@10 AP@10 nDCG@5 RBP ERR@20 AP nDCG@10 GAP",
    examples="""
      gradeval interval-scale qrels.txt runs/*
      gradeval interval-scale qrels.txt runs/* -m "RR@10 P@10 nDCG@10" --plot steps.svg
      gradeval interval-scale qrels.txt runs/* -m "AP GAP" --among observed -o steps.tsv""",
    digits=3,
)
def interval_scale(
    data: Judged, /, *, among: AmongValues = "attainable", alpha: Alpha = 0.05, progress: Progress
) -> IntervalScales:
    """Put the values of each measure at equal steps, and see how the order of the runs changes.

    A mean assumes that .2 to .3 is as much as .7 to .8. Some object: 1 and 1/2 are
    neighbours among the values of RR, as 1/9 and 1/10 are. They average places instead: value v of a topic becomes
    (number of values below v) / (number of values - 1). Means, tau between the orders of the runs, and t tests are
    computed by the values and by these steps.

    Parameters
    ----------
    among : the values that are counted. "attainable" (for a measure with a cutoff k): the values of all lists of k
        documents from a topic's pool. With ``rel``: lists of relevant or not. It needs at most 2^20 such lists; else
        as "observed". "observed": the values of all runs and topics together.
    alpha : level of the tests.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics; all runs are equal by every measure. A single such measure is left out,
        with a note.
    Source: Ferrante, Ferro & Fuhr (2021), "Towards meaningful statements in IR evaluation: mapping evaluation measures
    to interval scales", IEEE Access 9; against it Moffat (2022), "Batch evaluation metrics in information retrieval:
    measures, scales, and meaning", IEEE Access 10.

    >>> from gradeval import judge
    >>> qrels = {str(topic): {"a": 1, "b": 0} for topic in range(4)}
    >>> first = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    >>> second = {topic: {"a": 1.0, "b": 2.0} for topic in qrels}
    >>> print(interval_scale(judge(qrels, {"x": first, "y": second}), measures="RR@4").steps)
    [[1.   0.75]]
    """
    require_enough(data.scores)
    scores, left = _with_orders(data.scores)
    matrices = pair_values(scores)
    pairs = all_pairs(len(scores.runs))
    places = {topic: place for place, topic in enumerate(data.runs.topics)}
    by_measure, made, reasons = [], list[Steps](), dict[str, list[str]]()
    for number, (measure, values) in enumerate(zip(scores.measures, matrices, strict=True)):
        counted = scores.counted[0, :, number]
        topics = [places[topic] for topic, counts in zip(scores.topics, counted.tolist(), strict=True) if counts]
        pools = data.runs.pool[topics]
        steps = observed_steps(values)
        if among == "attainable":
            ones = scores.vacant[counted, number] & (scores.empty == "one")
            steps = attainable_steps(measure, values, pools, data.runs.levels, ones)
        if steps.why:
            reasons.setdefault(steps.why, []).append(str(measure))
        made.append(steps)
        by_measure.append((values, steps.values))
        if progress is not None:
            progress(number + 1, len(matrices))
    differences = [[differences_of(one, pairs) for one in both] for both in by_measure]
    means = np.array([[means_of_columns(one) for one in both] for both in by_measure])
    result = IntervalScales(
        means=means[:, 0],
        steps=means[:, 1],
        corrected=np.array([[holm(TESTS["t"](one, 0, 0)) for one in both] for both in differences]),
        signs=np.array([[_signs(one) for one in both] for both in differences]),
        tau=np.array([float(correlation_matrix("kendall", *rounded(both)[:, None])[0, 0]) for both in means]),
        number=np.array([(steps.least, steps.most) for steps in made]),
        among=[steps.among for steps in made],
        pairs=pairs,
        measures=scores.measures,
        runs=scores.runs,
        topics=scores.topics,
        alpha=alpha,
        unit=scores.unit,
    )
    return replace(result, notes=[Note.method(result.description), *left, *map(Note, _about_observed(among, reasons))])


def _with_orders(scores: Scores) -> tuple[Scores, list[Note]]:
    """The scores by the measures that put the runs in an order, and which ones do not; an error where none does."""
    means = np.stack([rounded(values.mean(0)) for values in pair_values(scores)])
    same = is_constant(means)
    if same.all():
        refuse_constant(means, scores.measures)
    if not same.any():
        return scores, []
    ordered, left = (list(compress(scores.measures, chosen)) for chosen in (~same, same))
    said = f"left out, as all {len(scores.runs)} runs have the same mean: {list_some(list(map(str, left)))}"
    return scores.sel(measures=ordered), [Note(said)]


def _signs(differences: Array) -> Array:
    """int64[pair]: of the means of differences[pair, topic], 0 where they differ by rounding alone."""
    means = differences.mean(-1)
    return np.sign(np.where(np.abs(means) > 10.0**-DIGITS, means, 0.0)).astype(int)


def _about_observed(among: AmongValues, reasons: dict[str, list[str]]) -> Iterator[str]:
    """Why observed values were taken for some measures, though attainable ones were asked for; what that means."""
    for reason, names in reasons.items():
        yield f"{list_some(names)}: steps count the values of the runs, as {reason}"
    if reasons or among == "observed":
        yield "steps among observed values change with the runs at hand"


class Steps(NamedTuple):
    """Values[topic, run] as equal steps, the fewest and the most values that a topic has, and what the steps count.

    ``why``: why these are the observed values, where attainable ones were asked for.
    """

    values: Array
    least: int
    most: int
    among: AmongValues
    why: str = ""


def observed_steps(values: Array, why: str = "") -> Steps:
    """Values[topic, run] as equal steps among themselves."""
    different, place = np.unique(np.round(values, DIGITS), return_inverse=True)
    steps = place.reshape(values.shape) / max(1, len(different) - 1)
    return Steps(steps, len(different), len(different), "observed", why)


def attainable_steps(measure: Measure, values: Array, pools: Array, levels: Levels, ones: Array) -> Steps:
    """Values[topic, run] as equal steps among those that each topic's pool [topic, level] allows, or among themselves
    where these cannot be listed. ``ones``: bool[topic], of empty topics that count 1."""
    cutoff, scale = measure.cutoff, _levels_of(measure, levels)
    if measure.definition.aggregate == "geometric":
        return observed_steps(values, "a geometric mean takes logarithms, not values")
    if cutoff is None:
        return observed_steps(values, "there is no cutoff")
    if len(scale) ** cutoff > MOST_LISTS:
        return observed_steps(values, f"there are more than {MOST_LISTS:,} lists")
    steps, sizes = np.zeros(values.shape), []
    for topic, pool in enumerate(pools):
        listed = list_values(measure, pool, levels, scale, cutoff)
        place = np.searchsorted(listed, np.round(values[topic], DIGITS) - 10.0 ** (1 - DIGITS))
        if (np.abs(listed[np.minimum(place, len(listed) - 1)] - values[topic]) > 10.0 ** (2 - DIGITS)).any():
            why = f"a run has a value that no list of {cutoff} judged documents gives: it has fewer, or unjudged ones"
            if ones[topic]:
                why = "an empty topic counts 1, which no list gives; take empty zero or skip"
            return observed_steps(values, why)
        steps[topic] = place / max(1, len(listed) - 1)
        sizes.append(len(listed))
    return Steps(steps, min(sizes), max(sizes), "attainable")


def _levels_of(measure: Measure, levels: Levels) -> Sequence[int]:
    """The places of the levels that a measure tells apart: with a threshold 0 and the first relevant one."""
    rel = measure.parameters.get("rel")
    if rel is None:
        return range(len(levels))
    relevant = [place for place, level in enumerate(levels) if level >= rel]
    return [0, *relevant[:1]]


def list_values(measure: Measure, pool: Array, levels: Levels, scale: Sequence[int], cutoff: int) -> Array:
    """float64[value]: the different values of all lists of ``cutoff`` documents, of each grade at most as many as the
    pool has, of grade 0 any number; ``scale``: the places of the levels that are told apart."""
    most = [
        *(pool[place] for place in scale[:-1]),
        pool[scale[-1] :].sum(),
    ]  # a threshold does not tell the levels above it apart
    shape = (len(scale),) * cutoff
    seen = np.zeros(0)
    for part in blocks(len(scale) ** cutoff, AT_ONCE):
        places = np.stack(np.unravel_index(np.arange(len(scale) ** cutoff)[part], shape), axis=-1)
        possible = np.ones(len(places), bool)
        for number in range(1, len(scale)):
            possible &= (places == number).sum(-1) <= most[number]
        grades = np.array(levels)[np.array(scale)[places[possible]]]
        lists = JudgedRankings.full(grades, np.broadcast_to(pool, (len(grades), len(levels))), levels)
        seen = np.union1d(seen, np.round(measure(lists), DIGITS))
    return seen
