"""Means of runs from a model's grades and a sample of human grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Seed, Whole
from gradeval.collection.exclusion import Exclusion
from gradeval.collection.meeting import Ties, meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.accepted import Judgments, RankedRuns, as_human_qrels, as_qrels, as_runs
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.messages import Given, list_some, plural
from gradeval.scores.evaluation import choose_input
from gradeval.scores.notes import about_reading, about_scores
from gradeval.scores.presets import configure_measures
from gradeval.scores.scoring import score
from gradeval.scores.selection import RunChoice, TopicChoice
from gradeval.studies.assisted_means import known_bounds
from gradeval.studies.machine_grades import about_no_grades
from gradeval.studies.significance import mean_interval_t
from gradeval.studies.study import Measures, Result, study
from gradeval.studies.study_parameters import Data
from gradeval.tables.grid import Column, Estimate, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

DEFAULT = "P@10 DCG@10 RBP"
"""Measures that are sums over documents."""
FOLDS = 5
"""Parts of the topics, each of which takes its slope from the others."""
LEAST = 2 * FOLDS
"""Topics from which on a slope can be learnt."""
ENOUGH, SHARE = 20, 0.2
"""Topics, and documents with human grades, from which on the intervals held what they say."""
TOO_FEW, TOO_SMALL = 10, 0.1
"""Topics, and the share of documents with human grades, up to which intervals hold so rarely that there are none."""
EXAMPLES = 40
"""Random rankings on which a measure shows whether it is a sum over documents."""

Drawn = Literal["by-topic", "overall"]
GradesByDocument = dict[str, dict[str, float]]
"""By topic and document."""


@dataclass(frozen=True, eq=False, repr=False)
class SampledMeans(Result):
    """Means of runs by human grades of a sample of documents and a model's grades of all.

    Attributes
    ----------
    value, interval : float64[run, measure], float64[run, measure, 2]: the corrected means; NaN where there is no
        interval, as topics and documents are too few or all topics have one value.
    human, human_interval : the same from the human grades alone, each weighted by how rarely it was drawn.
    model : float64[run, measure]: the means by the model's grades alone, which may be biased.
    slope : float64[run, measure]: how far the model's grades are used, the mean over the folds.
    share : float64[run, measure]: the variance of the corrected mean as a share of the variance from the human grades
        alone.
    graded, documents : how many documents have human grades, and the model's.
    runs, measures, topics, drawn, alpha, seed : what was estimated, and how.
    """

    value: Array
    interval: Array
    human: Array
    human_interval: Array
    model: Array
    slope: Array
    share: Array
    graded: int
    documents: int
    runs: list[str]
    measures: list[Measure]
    topics: list[str]
    drawn: Drawn
    alpha: float
    seed: int

    def table(self, digits: int = 4) -> Table:
        """A grid a measure, a row a run: the corrected mean, humans and model alone, the variance that is left."""
        spec = f".{digits}f"
        grids = []
        for place, measure in enumerate(self.measures):
            corrected, alone = zip(*(self._estimates((run, place)) for run in range(len(self.runs))), strict=True)
            grid = Grid.of_columns(
                (Column("run", "name"), self.runs),
                (Column(f"{measure}, corrected", spec=spec), corrected),
                (Column("human alone", spec=spec), alone),
                (Column("model alone", spec=spec), self.model[:, place]),
                (Column("variance ratio", spec=".2f"), self.share[:, place]),
                title=str(measure),
            )
            grids.append(grid)
        ends, alone_ends = (np.ma.masked_invalid(bounds) for bounds in (self.interval, self.human_interval))
        records = Records.over(
            {"run": self.runs, "measure": list(map(str, self.measures))},
            statistic="mean",
            value=self.value,
            lower=ends[..., 0],
            upper=ends[..., 1],
            human=self.human,
            human_lower=alone_ends[..., 0],
            human_upper=alone_ends[..., 1],
            model=self.model,
            slope=self.slope,
            share=self.share,
            alpha=self.alpha,
            seed=self.seed,
            topics=len(self.topics),
            documents=self.documents,
            graded=self.graded,
        )
        return Table(grids, records)

    def _estimates(self, at: tuple[int, int]) -> list[Estimate]:
        both = ((self.value, self.interval), (self.human, self.human_interval))
        return [Estimate(float(value[at]), bounds=known_bounds(bounds[at])) for value, bounds in both]

    @property
    def description(self) -> str:
        """What was computed, and from what, in a sentence."""
        drawn = "within each topic" if self.drawn == "by-topic" else "from all documents"
        return (
            f"humans graded {self.graded:,} of {self.documents:,} documents of {plural(len(self.topics), 'topic')}, "
            f"which we take to be drawn at random {drawn}; intervals: Student's t over topics, {1 - self.alpha:.4g} "
            f"confidence; slopes: {FOLDS} folds of the topics, seed {self.seed}; "
            "variance ratio: variance of the corrected mean over the variance of the mean by human grades alone"
        )


@study(
    measures=DEFAULT,
    examples="""
      gradeval sampled-means sample.txt model.txt runs/* -m "P@10 DCG@10"
      gradeval sampled-means sample.txt model.txt runs/* -m RBP --drawn overall -o means.tsv""",
)
def sampled_means(
    human: Annotated[Judgments, Data("HUMAN.qrels", "judgments")],
    model: Annotated[Judgments, Data("MODEL.qrels", "judgments")],
    ranked: Annotated[RankedRuns, Data("RUNS", "runs")],
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    alpha: Alpha = 0.05,
    seed: Seed = 0,
    drawn: Drawn = "by-topic",
    ties: Literal["docid", "docid-float32", "order", "expected"] = "docid",
    depth: Annotated[int, Whole(1)] | None = None,
) -> SampledMeans:
    """Estimate means of runs from a model's grades of all documents, and human grades of a random sample of these.

    For a measure that is a sum over documents, v = sum_d a_d(grade_d), the sampled documents S, each drawn with
    probability pi, give for a run and a topic two estimates that are right on average, however good the model:

        H = sum_{d in S} a_d(human) / pi
        D = sum_{d in S} a_d(model) / pi - sum_d a_d(model),  which is 0 on average

    and so Y = H - b D. b = cov(H, D) / var(D), over the topics of the other folds, has the smallest variance: a model
    whose grades follow the human ones takes most of the noise of the sample away, a guessing one has b = 0. The mean of
    Y over topics has Student's interval, which takes in the choice of the documents and of the topics; with up to 10
    topics and a tenth of the documents it holds so rarely that there is none.

    A model's grade below 0 is no grade: the document may still be drawn, and counts as grade 0 by the model.

    Which measures are such sums is tried on random rankings: P, CG, DCG, RBP and their like are; AP and nDCG, whose
    normaliser needs all grades of a topic, are refused (``assisted_means`` takes them, by whole topics).

    Parameters
    ----------
    alpha : the level of the intervals: they cover 1 - alpha.
    drawn : how the documents with human grades were drawn. At random within each topic ("by-topic"), or from all
        documents that the model graded ("overall"); a topic may then have none.
    seed : the seed of the folds.
    ties, depth : see ``judge``; not by the best or worst grade, as ranks would then depend on grades.

    Raises
    ------
    InputError : a measure that is no sum over documents, fewer than 10 topics, a human grade of a document that the
        model did not grade, a topic without any (by-topic), every document with a human grade.
    Source: Horvitz & Thompson (1952); Angelopoulos, Duchi & Zrnic (2023), "PPI++", for b; as PRECISE (arXiv 2601.18777)
    does for documents.
    """
    parsed, notes = configure_measures(None, DEFAULT if measures is None else measures)
    collection = as_qrels(model)
    whole, opened, more = choose_input(collection, as_runs(ranked), topics, runs, None, measures=parsed, ties=ties)
    more += about_no_grades(whole, "model", "documents that may be drawn, of grade 0 by the model")
    sample = as_human_qrels(human)
    levels = tuple(sorted({*whole.levels, *sample.levels}))
    for measure in parsed:
        require_sum(measure, levels)
    people, machine = _pair_grades(sample, whole, asked=topics is not None)
    count, of = (np.array([len(one[topic]) for topic in whole.topics]) for one in (people, whole.to_dict()))
    chance = _chances(count, of, whole.topics, drawn)
    human_sums, model_sums, by_model = (
        _values(one, whole.exclusion, levels, opened, parsed, ties, depth) for one in (people, machine, whole.to_dict())
    )
    h = human_sums / chance[:, None, None]
    y, slope = correct_by_model(h, model_sums / chance[:, None, None] - by_model, seed)
    most = np.array([np.inf if "bounded" in measure.definition.exempt else 1.0 for measure in parsed])
    interval, alone = (interval_of_means(values, most, alpha) for values in (y, h))
    if have_no_intervals(len(h), int(count.sum()), int(of.sum())):
        interval, alone = np.full_like(interval, np.nan), np.full_like(alone, np.nan)
    means = SampledMeans(
        value=y.mean(0),
        interval=interval,
        human=h.mean(0),
        human_interval=alone,
        model=by_model.mean(0),
        slope=slope,
        share=ratio(y.var(0), h.var(0)),
        graded=int(count.sum()),
        documents=int(of.sum()),
        runs=[run.name for run in opened],
        measures=parsed,
        topics=whole.topics,
        drawn=drawn,
        alpha=alpha,
        seed=seed,
    )
    scores = score(meet(whole, opened, ties=ties), parsed)
    about = [
        *about_reading(sample),
        *about_scores(scores, (collection, opened), "they count 0"),
        Note.method(means.description),
        *_about_few(means),
    ]
    return replace(means, notes=[*notes, *more, *about])


def have_no_intervals(topics: int, graded: int, documents: int) -> bool:
    """Do so few topics and documents with human grades leave no interval that holds?"""
    return topics <= TOO_FEW and graded <= TOO_SMALL * documents


def _about_few(means: SampledMeans) -> list[Note]:
    """What the bench says of intervals over so few topics or documents: they are too narrow, or there are none."""
    if len(means.topics) >= ENOUGH and means.graded >= SHARE * means.documents:
        return []
    if have_no_intervals(len(means.topics), means.graded, means.documents):
        return [
            Note.doubt(
                "draw more topics or documents for intervals: "
                f"with up to {TOO_FEW} topics and {TOO_SMALL:.0%} of their documents they often miss; "
                "95% intervals of one run held its mean in only 49% of our trials"
            )
        ]
    return [
        Note.doubt(
            f"intervals are too narrow, as there are fewer than {ENOUGH} topics, or {SHARE:.0%} of their documents; "
            "with 20 topics and a tenth of the documents, 95% intervals held 88% to 92% of the means; "
            "for the worst run 76%"
        )
    ]


def require_sum(measure: Measure, levels: Levels) -> None:
    """Refuse a measure whose value is not the sum over its documents, each alone, whatever the pool.

    That is tried on random rankings: nothing is known of a measure but what it says of them.
    """
    if measure.definition.aggregate != "mean":
        raise InputError(f"{measure} is no mean over topics, so its estimates would not be right on average")
    if measure.judged_only:
        raise InputError(f"{measure} leaves documents out, so a sample of the judged ones is no sample of what it sees")
    rng = np.random.default_rng(0)

    def value(items: Sequence[Any], pool: Sequence[int]) -> float:
        return float(measure(JudgedRankings.of(items, pool=pool, levels=levels))[0])

    for _ in range(EXAMPLES):
        ranking = rng.choice(levels, rng.integers(2, 13)).tolist()
        pool = [
            ranking.count(level) + int(more)
            for level, more in zip(levels, rng.integers(0, 4, len(levels)), strict=True)
        ]
        parts = 0.0
        for place, grade in enumerate(ranking):
            alone = [None] * place + [grade] + [None] * (len(ranking) - place - 1)
            parts += value(alone, [int(level == grade) for level in levels])
        if not np.isclose(value(ranking, pool), parts, rtol=1e-9, atol=1e-12):
            raise InputError(
                f"{measure} is no sum over documents, so a sample of them does not give it: P@10, DCG@10 and RBP are; "
                "gradeval assisted-means takes any measure, by whole topics"
            )


def _pair_grades(sample: Qrels, whole: Qrels, *, asked: bool) -> tuple[GradesByDocument, GradesByDocument]:
    """By topic of the model the human and the model's grades of the documents that both judged."""
    people, machine = sample.to_dict(), whole.to_dict()
    strangers = [
        f"{topic} {document}"
        for topic, grades in people.items()
        for document in grades
        if document not in machine.get(topic, grades if asked else {})
    ]
    if strangers:
        raise InputError(
            f"the model did not grade {plural(len(strangers), 'document')} with a human grade "
            f"({list_some(strangers)}); the sample must be of the documents that it graded"
        )
    given = {topic: people.get(topic, {}) for topic in machine}
    return given, {topic: {document: machine[topic][document] for document in given[topic]} for topic in machine}


def _chances(count: Array, of: Array, topics: Sequence[str], drawn: Drawn) -> Array:
    """float64[topic]: the probability that a document of the topic was drawn."""
    if len(topics) < LEAST:
        raise InputError(f"{plural(len(topics), 'topic')} are too few to learn from; accepted: {LEAST} or more")
    if not count.sum():
        raise InputError("no document has a human grade")
    if (count == of).all():
        raise InputError("every document that the model graded has a human grade: evaluate by these alone")
    if drawn == "overall":
        return np.full(len(topics), count.sum() / of.sum())
    without = [topic for topic, number in zip(topics, count.tolist(), strict=True) if not number]
    if without:
        raise InputError(
            f"{plural(len(without), 'topic')} without a human grade ({list_some(without)}): if documents were drawn "
            "from all topics at once, say so by ",
            Given("drawn", "overall"),
        )
    return np.asarray(count / of)


def _values(
    grades: GradesByDocument,
    exclusion: Exclusion,
    levels: Levels,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    ties: Ties,
    depth: int | None,
) -> Array:
    """float64[topic, run, measure]: values by these grades; 0 for a topic without any."""
    there = [place for place, one in enumerate(grades.values()) if one]
    qrels = Qrels.from_dict({topic: one for topic, one in grades.items() if one})
    judged = meet(qrels.with_levels(levels).without(exclusion), runs, ties=ties)
    scores = score(judged if depth is None else judged.top(depth), measures)
    values = np.zeros((len(grades), len(runs), len(measures)))
    values[there] = np.moveaxis(scores.credited, 0, 1)
    return values


def correct_by_model(h: Array, d: Array, seed: int) -> tuple[Array, Array]:
    """H - b D of [topic, run, measure], b from the topics of the other folds; and the mean of b over the folds."""
    fold = np.random.default_rng(seed).permutation(len(h)) % FOLDS
    y, slopes = h.copy(), []
    for place in range(FOLDS):
        others = fold != place
        centred = d[others] - d[others].mean(0)
        slope = ratio((h[others] * centred).sum(0), np.square(centred).sum(0))
        y[~others] -= slope * d[~others]
        slopes.append(slope)
    return y, np.mean(slopes, axis=0)


def interval_of_means(values: Array, most: Array, alpha: float) -> Array:
    """float64[run, measure, 2]: Student's of the means of values[topic, run, measure], within 0 and most[measure] as
    far as the mean is; NaN where all topics have one value, which says nothing of others."""
    means, spread = values.mean(0), values.std(0, ddof=1)
    low, high = np.moveaxis(mean_interval_t(means, spread, len(values), alpha), -1, 0)
    low, high = np.maximum(low, np.minimum(0.0, means)), np.minimum(high, np.maximum(most, means))
    return np.where((spread > 0)[..., None], np.stack([low, high], axis=-1), np.nan)
