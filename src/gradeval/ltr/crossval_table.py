"""What a cross-validation found: the means with their marks, as a table, and what to know about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gradeval.arguments import Alpha, share
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.ltr.engine_trees import EngineObjective
from gradeval.ltr.rankers.trees import TRAININGS
from gradeval.ltr.training_noise import compare_trained
from gradeval.ltr.trials import Training
from gradeval.messages import list_some, plural
from gradeval.scores.mistakes import about_empty
from gradeval.scores.score_table import bounds_at
from gradeval.scores.scores import Scores
from gradeval.studies.compared_runs import MARKS, Comparison
from gradeval.studies.significance import name_correction
from gradeval.tables.grid import Cell, Column, Estimate, Grid, as_label
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular
from gradeval.warning_categories import Note

NAMES = Column("trained for", "name")

FIELDS = (
    "run measure statistic value lower upper baseline difference p corrected significant topics correction alpha "
    "ranker seeds folds"
).split()


def means_with_marks(scores: Scores, bounds: Array | None, comparison: Comparison | None, digits: int) -> Grid:
    """The means: a row for each training objective, a column for each test measure."""
    means, pairs = scores.mean(), _pairs(comparison)
    rows: list[list[Cell]] = [[run] for run in scores.runs]
    for column in range(len(scores.measures)):
        for run, row in enumerate(rows):
            compared = comparison is not None and run in pairs
            mark = MARKS[comparison.verdict(column, pairs[run]) if comparison and compared else "not told apart"]
            row.append(Estimate(float(means[run, column]), mark, bounds_at(bounds, run, column)))
    best = {(int(row), column + 1) for column, row in enumerate(means.argmax(0))} if len(rows) > 1 else set()
    columns = [Column(str(measure), spec=f".{digits}f") for measure in scores.measures]
    return Grid([NAMES, *columns], rows, title="means", best=frozenset(best))


def about_marks(comparison: Comparison | None, alpha: float) -> str:
    """What the marks of means say, in a short line; empty where there are none."""
    if comparison is None:
        return ""
    if comparison.correction == "best":
        return f"▼ not the best, as another objective is as good or better, level {alpha:g}"
    corrected = name_correction(comparison.correction)
    return f"▲ better, ▼ worse than {comparison.baseline}: t test, {corrected}, level {alpha:g}"


def about_means(scores: Scores, alpha: float) -> str:
    """What means are over, and what their intervals are."""
    counts = scores.counted[0].sum(0).tolist()
    topics = plural(max(counts), "topic")
    several = f"{min(counts)} to {topics}" if min(counts) < max(counts) else topics
    intervals = f", with {100 * (1 - alpha):g}% confidence intervals" if len(scores.topics) > 1 else ""
    return f"Means over {several}{intervals}"


def differences(comparison: Comparison | None, digits: int) -> list[Grid]:
    """The differences from a named baseline, a table for each measure, as ``compare`` shows them."""
    if comparison is None or comparison.correction == "best":
        return []
    return [replace(grid, columns=[NAMES, *grid.columns[1:]]) for grid in comparison.table(digits).grids[1:]]


def records(
    scores: Scores, bounds: Array | None, comparison: Comparison | None, alpha: float, settings: Sequence[Value]
) -> Iterator[list[Value]]:
    """The means and their comparison, by measure; ``settings`` are the ranker, the seeds and the folds."""
    means, pairs = scores.mean(), _pairs(comparison)
    correction = "holm" if comparison is None else comparison.correction
    for column, measure in enumerate(scores.measures):
        topics = int(scores.counted[0, :, column].sum())
        for run, name in enumerate(scores.runs):
            between: list[Value] = [*(bounds_at(bounds, run, column) or (None, None))]
            tests: list[Value] = [None] * 5
            if comparison is not None and run in pairs:
                at = column, pairs[run]
                numbers = (comparison.difference, comparison.p, comparison.corrected)
                tests = [comparison.baseline, *(float(each[at]) for each in numbers), bool(comparison.significant[at])]
            mean: list[Value] = [name, str(measure), "mean", float(means[run, column])]
            yield [*mean, *between, *tests, topics, correction, alpha, *settings]


def _pairs(comparison: Comparison | None) -> dict[int, int]:
    """For each run that was compared, the index of its pair in the comparison."""
    return {} if comparison is None else {int(run): pair for pair, (run, _) in enumerate(comparison.pairs.tolist())}


def sizes_of(trainings: Sequence[Training]) -> str:
    """How many leaves the settings of the kept trees allow, by the shapes of these trees: "7 to 15 (leaf-wise)"."""
    by_shape = {shape: [one.leaves for one in trainings if one.shape == shape and one.leaves] for shape in TRAININGS}
    return " or ".join(
        f"{' to '.join(map(str, sorted({min(leaves), max(leaves)})))} ({shape})"
        for shape, leaves in by_shape.items()
        if leaves
    )


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Tabular):
    """The scores of rankers that were trained for several objectives, on data that they had not seen.

    Attributes
    ----------
    features : all parts together; each topic was tested once, by a ranker that had not seen it.
    predictions : float64[objective, seed, row], the scores of the test documents. Where each tested measure validates,
        the first one's rankers give them.
    by_seed : the evaluation for each seed; its runs are the objectives.
    trainings : every training, by objective, seed and fold.
    objectives, seeds : the labels of the first two axes of ``predictions``.
    parts : how many topics each part has, in the order of ``features``.
    epochs : the most epochs of a training.
    baseline : the objective that was named beforehand for the others to be tested against; None: the best.
    """

    features: Features
    predictions: Array
    by_seed: tuple[Scores, ...]
    trainings: tuple[Training, ...]
    objectives: tuple[str, ...]
    seeds: tuple[int, ...]
    parts: tuple[int, ...]
    epochs: int
    baseline: str | None = None

    @property
    def folds(self) -> int:
        """The number of folds, which is also the number of parts."""
        return len(self.parts)

    @property
    def scores(self) -> Scores:
        """For each topic the mean over the seeds. Studies of these do not count how trainings vary; ``table`` does."""
        values = np.mean([scores.values for scores in self.by_seed], axis=0)
        return replace(self.by_seed[0], values=values, seeds=len(self.seeds))

    @property
    def ranker(self) -> str:
        """The kind of the rankers."""
        return self.trainings[0].ranker

    def tied_share(self) -> Array:
        """float64[objective]: the share of test documents that have the score of another document of their topic."""
        documents = len(self.features) * len(self.seeds)
        ties = [[self.features.count_ties(scores) for scores in by_seed] for by_seed in self.predictions]
        return np.asarray(np.sum(ties, axis=1) / documents)

    def table(self, digits: int = 4, *, baseline: str | None = None, alpha: Alpha = 0.05) -> Table:
        """Means over all topics: a row for each training objective, a column for each test measure; the best is marked.
        With a baseline, below them the differences from it by each measure, with intervals and p values.

        ▲ and ▼ mark significantly better and worse than the baseline, by a paired t test with Holm's correction;
        without a baseline ▼ marks what is not the single best objective, as some other is at least as good: ``compare``
        with the baseline "best". With several seeds the variances count how trainings vary.

        Parameters
        ----------
        digits : the number of decimals.
        baseline : the objective that the others are compared with. Default: the one named beforehand; else the best by
            each measure, whichever that is.
        alpha : the significance level; confidence intervals have level 1 - alpha.
        """
        alpha = share("alpha", alpha, 0.05)
        scores, baseline = self.scores, baseline or self.baseline
        bounds = scores.ci(alpha=alpha) if len(scores.topics) > 1 else None
        comparison = compare_trained(scores, self.by_seed, self.parts, baseline, alpha)
        settings: list[Value] = [self.ranker, len(self.seeds), self.folds]
        rows = records(scores, bounds, comparison, alpha, settings)
        means = means_with_marks(scores, bounds, comparison, digits)
        foot = about_marks(comparison, alpha)
        label = as_label("crossval", " ".join(map(str, scores.measures)))
        means = means.described(about_means(scores, alpha), foot, label=label, foot=foot)
        grids = [means, *differences(comparison, digits)]
        return Table(grids, Records.of(FIELDS, rows), [*map(str, self._find_notes(comparison, alpha))])

    @property
    def notes(self) -> list[Note]:
        """What was trained, tested and compared, what was picked after looking, and what may be wrong with it."""
        comparison = compare_trained(self.scores, self.by_seed, self.parts, self.baseline, 0.05)
        return [*self._find_notes(comparison, 0.05)]

    def _find_notes(self, comparison: Comparison | None, alpha: float) -> Iterator[Note]:
        topics = len(self.scores.topics)
        yield from map(Note, about_empty(self.scores))
        yield Note.method(
            f"{plural(len(self.trainings), 'training')} of {self.ranker} rankers: "
            f"{plural(len(self.objectives), 'objective')}, {plural(self.folds, 'fold')}, seed{'s' * self._has_seeds} "
            f"{list_some(list(map(str, self.seeds)))}; {plural(topics, 'topic')}, the mean over seeds for each"
        )
        yield from map(Note.method, self._about_settings())
        validated_by = {str(training.measure) for training in self.trainings}
        trained_for = {training.objective.partition(":")[2] for training in self.trainings}
        if len(validated_by) > 1 and len(self.trainings) > len(self.objectives) * len(self.seeds) * self.folds:
            yield Note("each measure that is tested has validated the rankers that it tests, of all objectives")
        elif len(validated_by) == 1 and trained_for != validated_by:
            tested = list_some([str(measure) for measure in self.scores.measures])
            yield Note.method(f"tested by {tested}; validated by {', '.join(validated_by)}")
        if (shares := self.tied_share()).any():
            tied = list_some([f"{name} {one:.1%}" for name, one in zip(self.objectives, shares.tolist(), strict=True)])
            yield Note(f"test documents with a tied score: {tied}; values are means over their orders")
        if comparison is not None:
            yield from (Note(text) for text in self._about_marks(comparison, alpha))
        yield from map(Note, self._about_turning())
        late = sum(training.best == self.epochs for training in self.trainings)
        if late:
            yield Note(
                f"{plural(late, 'training')} kept the last of {plural(self.epochs, 'epoch')}: more epochs may be better"
            )

    def _about_settings(self) -> Iterator[str]:
        """From how many settings validation chose, where there were several or engines' own objectives are compared;
        with these, how large the trees of each objective may be."""
        counts = {name: {one.settings for one in self.trainings if one.objective == name} for name in self.objectives}
        every = set().union(*counts.values())
        if every == {1}:
            if any(EngineObjective.parse(name) for name in self.objectives):
                yield "every training had one setting: validation chose the number of trees alone"
        elif len(every) == 1:
            yield f"every training tried {every.pop()} settings, among which validation chose"
        else:
            shown = [f"{name} {' to '.join(map(str, sorted({min(one), max(one)})))}" for name, one in counts.items()]
            yield (
                f"settings that a training tried, among which validation chose: {list_some(shown)}; "
                "an objective with more settings has an advantage"
            )
        reasons = [reason for one in self.trainings for reason in one.left_out]
        for reason in dict.fromkeys(reasons):
            most = max(one.left_out.count(reason) for one in self.trainings)
            yield f"a training left out up to {plural(most, 'setting')}: {reason}"
        if any(EngineObjective.parse(name) for name in self.objectives):
            sizes = {name: sizes_of([one for one in self.trainings if one.objective == name]) for name in counts}
            yield f"leaves that a tree may have: {', '.join(f'{name} {size}' for name, size in sizes.items())}"

    def _about_turning(self) -> Iterator[str]:
        """By which measures one seed or one part decides: without it, the order of the two best objectives turns, or of
        the baseline and the best other."""
        if len(self.objectives) < 2:
            return
        whole, ends = self.scores, np.cumsum((0, *self.parts)).tolist()
        left: dict[str, Scores] = {}
        for number, seed in enumerate(self.seeds if self._has_seeds else ()):
            others = [scores.values for place, scores in enumerate(self.by_seed) if place != number]
            left[f"seed {seed}"] = replace(whole, values=np.mean(others, axis=0))
        for number, (begin, end) in enumerate(pairwise(ends), 1):
            tested = {*self.features.topics[begin:end]}
            left[f"part {number}"] = whole.sel(topics=[topic for topic in whole.topics if topic not in tested])
        means, means_without = whole.mean(), {what: scores.mean() for what, scores in left.items()}
        for column, measure in enumerate(whole.measures):
            order = np.argsort(-means[:, column], kind="stable").tolist()
            if self.baseline is not None:
                place = self.objectives.index(self.baseline)
                other = next(each for each in order if each != place)
                order = sorted((place, other), key=order.index)
            first, second = order[:2]
            turning = [what for what, each in means_without.items() if each[first, column] < each[second, column]]
            if turning:
                names = self.objectives[second], self.objectives[first]
                yield f"without {' or '.join(turning)}, {names[0]} is ahead of {names[1]} by {measure}"

    @property
    def _has_seeds(self) -> bool:
        """Are there several seeds?"""
        return len(self.seeds) > 1

    def _about_marks(self, comparison: Comparison, alpha: float) -> Iterator[str]:
        """What the marks say, and of which rankers."""
        if comparison.correction == "best":
            of = "" if self._has_seeds else " of these trained rankers"
            yield (
                f"*: the highest mean, picked after looking; ▼: not the best, as another objective is as good or "
                f"better; level {alpha:g} for all marks{of} by a measure together; intervals of {1 - alpha:.4g}"
            )
        else:
            yield (
                f"test: t, two-sided, paired by topic, against {comparison.baseline}"
                f"{comparison.correction_clause}; marks at {alpha:g}, intervals of {1 - alpha:.4g}"
            )
        if self._has_seeds:
            yield (
                f"marks count that trainings vary, as {len(self.seeds)} seeds and {self.folds} folds show; they do not "
                "count other training data"
            )
        else:
            yield (
                "one seed: marks hold for these trained rankers only, and another seed may turn them; with several "
                "seeds they count how trainings vary"
            )
