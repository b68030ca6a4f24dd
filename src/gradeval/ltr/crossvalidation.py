"""Cross-validation: rankers trained for several objectives, and tested by several measures, each query once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import (
    Alpha,
    Anything,
    Whole,
    check_arguments,
    find_twice,
    known_arguments,
    read_fields,
    share,
    whole,
)
from gradeval.features.categories import join_categories
from gradeval.features.feature_arrays import describe_columns
from gradeval.features.features import Features
from gradeval.files.other_tools import is_frame
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure, parse_measures
from gradeval.ltr.data.leaks import warn_of_leaks
from gradeval.ltr.data.rows import frame_features
from gradeval.ltr.data.trainable import in_order_of_rows, weights_by_row
from gradeval.ltr.engine_search import EngineSearch
from gradeval.ltr.engine_trees import GROWERS, EngineObjective
from gradeval.ltr.objectives.objective import METHODS, Objective
from gradeval.ltr.rankers.auto import AutoRanker
from gradeval.ltr.rankers.kinds import KINDS, ranker_class
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.rankers.trees import TRAININGS, TreeRanker, require_codes
from gradeval.ltr.training_noise import compare_trained
from gradeval.ltr.trials import Plan, Result, Training, Trial, run_trials
from gradeval.messages import Given, list_some, nearest, plural
from gradeval.progress import progress_of
from gradeval.scores.evaluation import evaluate_part
from gradeval.scores.score_table import bounds_at
from gradeval.scores.scores import Empty, Scores
from gradeval.studies.compared_runs import MARKS, Comparison
from gradeval.studies.significance import name_correction
from gradeval.tables.grid import Cell, Column, Estimate, Grid, as_label
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular
from gradeval.warning_categories import Note

Trained: TypeAlias = str | Objective | EngineObjective
"""What a ranker is trained for."""
NAMES = Column("trained for", "name")
MEASURES = "nDCG@10 AP P@10 GAP"
FOLDS = 5

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
        return f"▼ another objective is at least as good, level {alpha:g}"
    corrected = name_correction(comparison.correction)
    return f"▲ better, ▼ worse than {comparison.baseline}: t test, {corrected}, level {alpha:g}"


def about_means(topics: int, alpha: float) -> str:
    """What means are over, and what their intervals are."""
    intervals = f", with {100 * (1 - alpha):g}% confidence intervals" if topics > 1 else ""
    return f"Means over {plural(topics, 'topic')}{intervals}"


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
        for run, name in enumerate(scores.runs):
            between: list[Value] = [*(bounds_at(bounds, run, column) or (None, None))]
            tests: list[Value] = [None] * 5
            if comparison is not None and run in pairs:
                at = column, pairs[run]
                numbers = (comparison.difference, comparison.p, comparison.corrected)
                tests = [comparison.baseline, *(float(each[at]) for each in numbers), bool(comparison.significant[at])]
            mean: list[Value] = [name, str(measure), "mean", float(means[run, column])]
            yield [*mean, *between, *tests, len(scores.topics), correction, alpha, *settings]


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


TrainingProgress: TypeAlias = Callable[[Training, int, int], None]
"""Called as progress(training, done, total) after each training."""


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
        means = means.described(about_means(len(scores.topics), alpha), foot, label=label, foot=foot)
        grids = [means, *differences(comparison, digits)]
        return Table(grids, Records.of(FIELDS, rows), [*map(str, self._find_notes(comparison, alpha))])

    @property
    def notes(self) -> list[Note]:
        """What was trained, tested and compared, what was picked after looking, and what may be wrong with it."""
        comparison = compare_trained(self.scores, self.by_seed, self.parts, self.baseline, 0.05)
        return [*self._find_notes(comparison, 0.05)]

    def _find_notes(self, comparison: Comparison | None, alpha: float) -> Iterator[Note]:
        topics = len(self.scores.topics)
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
                f"*: the highest mean, picked after looking; ▼: another objective is at least as good; "
                f"level {alpha:g} for all marks{of} by a measure together; intervals of {1 - alpha:.4g}"
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


@known_arguments()
def crossval(
    parts: Any,
    objectives: Trained | Sequence[Trained],
    measures: str | Measure | Sequence[str | Measure] = MEASURES,
    ranker: type[Ranker] | str = "tree",
    *,
    query: str | None = None,
    label: str | None = None,
    folds: Annotated[int, Whole(3)] = FOLDS,
    baseline: Annotated[str | None, Anything("OBJECTIVE")] = None,
    seeds: int | Sequence[int] = 1,
    validate_by: Annotated[str | Measure | None, Anything("MEASURE")] = None,
    empty: Empty = "zero",
    sample_weight: Sequence[float] | Array | None = None,
    jobs: Annotated[int, Whole(0)] = 1,
    work: Annotated[str | os.PathLike[str] | None, Anything("FOLDER")] = None,
    progress: TrainingProgress | bool | None = False,
    **parameters: Any,
) -> CrossValidation:
    """Train rankers for several objectives by cross-validation, and test each part by rankers that have not seen it.

        crossval(frame, ["lambdarank:GAP", "lambdarank:nDCG", "lightgbm:lambdarank"], query="qid", label="grade")

    As in LETOR, fold 1 tests on the last part, validates on the one before and trains on the others; each further fold
    rotates the parts by one. Tests and validation are expected over the orders of equal scores. All trainings share the
    parameters, the levels of all parts together, and all features; a feature that a part lacks is 0 there. With more
    than one job a script needs ``if __name__ == "__main__":``.

    Parameters
    ----------
    parts : 3 or more Features, which have no topic in common; or one, or a frame of pandas, Polars or Arrow, whose
        queries are then split at random into ``folds`` parts (seed 0).
    objectives : what to train for, as METHOD:MEASURE. Or a measure alone, or a baseline (see the objective of a
        ranker); or an engine's own, as in lightgbm:lambdarank, xgboost:rank:ndcg, catboost:YetiRank. These train trees
        with the parameters that TreeRanker and the engine share. CatBoost grows its own symmetric trees, unless
        ``shape`` names others. They choose from as many settings as ours: one. Where ours have draws="auto", they
        try two, one of which has twice as many leaves. With an AutoRanker they try 16, of 4 numbers of leaves and 4
        learning rates, within its number of trees. Each once.
    measures : the measures to test by.
    ranker : the class to train, LinearRanker, NeuralRanker, TreeRanker or AutoRanker; or its name: "linear", "neural",
        "tree", "auto".
    query, label : the columns of a frame with the query and the grade of each row; all others are features.
    folds : the number of parts that one table is split into.
    baseline : the objective to test the others against. Named beforehand, it is not picked after looking. Default: the
        best by each measure, whichever that is; the test corrects for picking it.
    seeds : a number of seeds (0, 1, 2 ...), or a list of seeds. Each is for all trainings; a topic has the mean over
        them. With one, marks hold for these trained rankers only; with several, they count how trainings vary.
    validate_by : the measure to validate by. Default: the measure of the objective; for engines' own objectives each
        tested measure, with a training for each; all objectives then stop by the tested measure.
    empty : whether topics without relevant documents count 0 ("zero"), are left out ("skip") or count 1 ("one").
    sample_weight : weights of the queries or of the rows of all parts or of the table, in their order, as ``fit``
        takes them. They act where their rows are trained on; validation and tests are not weighted.
    jobs : the number of trainings at a time. 0: as many as the cores allow, with ``threads`` for each. Results do not
        depend on it.
    work : a folder that keeps finished trainings; the same call then goes on from them.
    progress : True shows a bar; a function is called after each training.
    parameters : parameters of the ranker: epochs, patience, threads (1 by default) ...

    Raises
    ------
    InputError : fewer than 3 parts, a topic in two parts, an objective twice, no seed, or wrong parameters.
    Source of the design: Robertson, Kanoulas & Yilmaz (2010), section 5.
    """
    folds, jobs = check_arguments(crossval, folds=folds, jobs=jobs)
    parsed, names, baseline = _read_objectives(objectives, baseline)
    parts, table, order, categories = _parts_of(parts, query, label, folds, parameters.get("categorical") or ())
    if categories:
        parameters["categorical"] = tuple(dict.fromkeys([*(parameters.get("categorical") or ()), *categories]))
    _require_categories(parts, parameters.get("categorical") or (), ranker)
    numbers, tested = _list_seeds(seeds), parse_measures(measures)
    _require_parts_and_objectives(parts, names)
    warn_of_leaks(parts[0], parameters.get("categorical") or ())
    trained, kind, searches = _prepare(parsed, ranker, parameters)
    everything = Features.concat(parts, name=" + ".join(os.path.basename(part.name) for part in parts))
    weighted = everything if table is None else table
    weights = weights_by_row(in_order_of_rows("sample_weight", sample_weight, order), weighted)
    plan = Plan(
        parts=tuple(replace(everything.select(part.topics), name=part.name) for part in parts),
        ranker=kind,
        parameters=parameters,
        searches=searches,
        validate_by=None if validate_by is None else parse_measure(validate_by),
        work=None if work is None else os.fspath(work),
        weights=None if weights is None else _by_topic(weights, weighted),
    )
    qrels = everything.qrels  # an error if a document stands twice in a topic
    validating: list[Measure | None] = [*tested] if validate_by is None and searches else [None]
    trials = [
        Trial(one, seed, fold, measure)
        for one in trained
        for measure in validating
        for seed in numbers
        for fold in range(len(parts))
    ]
    results = _run(plan, trials, jobs or _count_jobs(parameters.get("threads", 1)), progress)
    predictions = np.empty((len(validating), len(names), len(numbers), len(everything)))
    ends = np.cumsum([0, *map(len, parts)])
    for trial, (scores, _) in results.items():
        part = (trial.fold - 1) % len(parts)
        place = validating.index(trial.measure), names.index(str(trial.objective)), numbers.index(trial.seed)
        predictions[place][ends[part] : ends[part + 1]] = scores

    def test(predicted: Array) -> Scores:
        runs = [everything.run(scores, name=name) for scores, name in zip(predicted, names, strict=True)]
        return replace(evaluate_part(qrels, runs, tested, ties="expected", empty=empty)[0], seeds=1)

    by_seed = [
        _each_by_its_own([test(of_measure[:, number]) for of_measure in predictions]) for number in range(len(numbers))
    ]
    declared, limit = read_fields(kind), "budget" if issubclass(kind, AutoRanker) else "epochs"
    return CrossValidation(
        everything,
        predictions[0],
        tuple(by_seed),
        tuple(results[trial][1] for trial in trials),
        names,
        numbers,
        tuple(len(part.topics) for part in parts),
        int(parameters.get(limit, declared[limit].default)),
        baseline,
    )


def _read_objectives(
    objectives: Trained | Sequence[Trained], baseline: str | None
) -> tuple[list[Objective | EngineObjective], tuple[str, ...], str | None]:
    """The objectives, their names, and the name of the baseline, which is one of them."""
    listed = [objectives] if isinstance(objectives, str | Objective | EngineObjective) else objectives
    parsed = list(map(parse_trained, listed))
    names = tuple(map(str, parsed))
    if baseline is not None:
        baseline = str(parse_trained(baseline))
        if baseline not in names:
            raise InputError(f"baseline: {baseline} is none of the objectives ({', '.join(names)}): add it to them")
    return parsed, names, baseline


def _prepare(
    parsed: Sequence[Objective | EngineObjective], ranker: type[Ranker] | str, parameters: dict[str, Any]
) -> tuple[list[Objective | EngineObjective], type[Ranker], dict[str, EngineSearch]]:
    """The objectives as the ranker trains for them, its class, and what each engine tries; wrong parameters are an
    error before the first training."""
    kind: Any = ranker_class(ranker) if isinstance(ranker, str) else ranker
    if not (isinstance(kind, type) and issubclass(kind, Ranker)):
        raise InputError(Given("ranker", ranker), f" is neither a class of rankers nor one of {', '.join(KINDS)}")
    theirs = [one for one in parsed if isinstance(one, EngineObjective)]
    if theirs and not issubclass(kind, TreeRanker | AutoRanker):
        raise InputError(f"engines' own objectives grow trees: give ranker='tree' or 'auto' with {theirs[0]}")
    made = {one: kind(one, **parameters) for one in parsed if isinstance(one, Objective)}
    for one in made.values():
        one.warn_of_objective()
    ours = [one.objective for one in made.values()]
    if theirs and not ours:
        kind(Objective("lambdarank", theirs[0].measure), **parameters)
    searches = {one.engine: EngineSearch.matching(kind, ours, parameters, one.engine) for one in theirs}
    return [made[one].objective if isinstance(one, Objective) else one for one in parsed], kind, searches


def _by_topic(weights: Array, features: Features) -> dict[str, Array]:
    """The weights of the rows of each topic."""
    spans = pairwise(features.offsets.tolist())
    return {topic: weights[begin:end] for topic, (begin, end) in zip(features.topics, spans, strict=True)}


def _run(
    plan: Plan, trials: Sequence[Trial], jobs: int, progress: TrainingProgress | bool | None
) -> dict[Trial, Result]:
    """Run the trials, and tell of each that is done."""
    results: dict[Trial, Result] = {}
    with progress_of(progress, "crossval") as tell:
        for trial, result in run_trials(plan, trials, jobs):
            results[trial] = result
            if progress is True:
                tell(len(results), len(trials))
            elif tell is not None:
                tell(result[1], len(results), len(trials))
    return results


def _each_by_its_own(validated: Sequence[Scores]) -> Scores:
    """The scores by each measure of the rankers that it has validated; a single evaluation serves all."""
    values = validated[0].values.copy()
    for column, scores in enumerate(validated if len(validated) > 1 else ()):
        values[..., column] = scores.values[..., column]
    return replace(validated[0], values=values)


def parse_trained(text: Trained) -> Objective | EngineObjective:
    """Read METHOD:MEASURE, ENGINE:NAME, a baseline, or a measure alone, for which LambdaRank is taken."""
    own = EngineObjective.parse(text)
    if own is not None:
        return own
    if isinstance(text, Objective):
        return text
    words = str(text)
    engine, colon, name = words.partition(":")
    if colon and engine not in METHODS and (close := nearest(engine, list(GROWERS))):
        raise InputError(
            f"unknown engine {engine!r}{close}; write ENGINE:{name or 'OBJECTIVE'}, as lightgbm:lambdarank"
        )
    return Objective.parse(words)


NO_FRAME = "crossval takes 3 or more Features, or "


def _parts_of(
    data: Any, query: str | None, label: str | None, folds: int, declared: Collection[str]
) -> tuple[Sequence[Features], Features | None, Array | None, Collection[str]]:
    """The parts as they are given, or of one table; that table, the order of its rows (see ``TrainingRows``), and which
    features are categories; ``declared``: what the parameters call so."""
    if isinstance(data, Sequence) and all(isinstance(part, Features) for part in data):
        if (query, label) != (None, None):
            raise InputError("query and label name columns of a frame; Features know theirs: leave them out")
        if len(data) != 1:
            known = join_categories(part.categories for part in data)
            return list(data), None, None, known
        data = data[0]
    order, categories = None, dict[str, list[Any]]()
    if not isinstance(data, Features):
        _refuse_list(data)
        data, categories, order, _ = frame_features(data, query, label, name="frame", whose=NO_FRAME, declared=declared)
    categories |= {name: list(words) for name, words in data.categories.items()}
    data.require_grades("cross-validation and training")
    if len(data.topics) < folds:
        raise InputError(f"{data.name}: {len(data.topics)} queries for {folds} folds; give fewer folds, 3 or more")
    return list(data.split(*[1 / folds] * folds, seed=0)), data, order, categories


def _refuse_list(data: Any) -> None:
    """Refuse files, and frames in a list, with what makes Features or one frame of them."""
    listed = [data] if isinstance(data, str | os.PathLike) else data
    if not isinstance(listed, list | tuple) or not listed:
        return
    if all(isinstance(one, str | os.PathLike) for one in listed):
        made = "[gradeval.read_letor(file) for file in FILES]"
        raise InputError(f"crossval reads no files: give {made}, or a frame, as of pandas.read_csv(FILE)")
    if all(is_frame(one) for one in listed):
        package = type(listed[0]).__module__.partition(".")[0]
        concat = f"{package}.concat_tables" if package == "pyarrow" else f"{package}.concat"
        made = "[gradeval.features_from_frame(frame, query_id=..., relevance=...) for frame in FRAMES]"
        raise InputError(
            f"crossval splits one frame by its queries: give {concat}(FRAMES); for your own parts give {made}"
        )


def _require_categories(parts: Sequence[Features], categories: Sequence[str], ranker: type[Ranker] | str) -> None:
    """An InputError for categories that no part has, that are no codes, or that the ranker does not take."""
    kind: Any = ranker_class(ranker) if isinstance(ranker, str) else ranker
    if not categories or isinstance(categories, str):
        return  # which the ranker checks
    for part in parts:
        if unknown := [name for name in categories if name not in part.columns]:
            raise InputError(
                f"{part.name}: has no feature {unknown[0]!r} to be a category; {describe_columns(part.columns)}"
            )
        require_codes(part, [part.columns.index(name) for name in categories])
    if isinstance(kind, type) and issubclass(kind, Ranker) and "categorical" not in read_fields(kind):
        raise InputError(
            f"{categories[0]} is a category, and a {kind.kind} ranker takes numbers; encode it (scikit-learn's "
            "OneHotEncoder), or train trees"
        )


def _require_parts_and_objectives(parts: Sequence[Features], names: Sequence[str]) -> None:
    if len(parts) < 3:
        raise InputError(f"{len(parts)} parts; cross-validation needs 3 or more, to train, to validate and to test")
    if not names:
        raise InputError("no objective; give one or more, as in 'lambdarank:GAP(g=[0.5,0.5])'")
    if (twice := find_twice(names)) is not None:
        raise InputError(
            f"the objective {twice} is given twice, or with another sigma, truncation or estimator: give each once; "
            "what differs in these alone takes a cross-validation each"
        )


def _count_jobs(threads: int) -> int:
    """The number of trainings that the cores allow in parallel, each with so many threads; 0 threads: all cores."""
    cores = os.cpu_count() or 1
    return max(1, cores // (threads or cores))


def _list_seeds(value: Any) -> tuple[int, ...]:
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return tuple(range(whole("seeds", value, 1)))
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
        raise InputError(Given("seeds", value), " is neither a whole number from 1 nor a list of seeds")
    seeds = tuple(whole("seed", seed, 0) for seed in value)
    if not seeds or len(set(seeds)) < len(seeds):
        raise InputError("seeds: give one or more, no two alike")
    return seeds
