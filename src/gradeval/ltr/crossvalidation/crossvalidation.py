"""Cross-validation: rankers trained for several objectives, and tested by several measures, each query once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.checks import share, shown, whole
from gradeval.evaluation import evaluate_part
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure, parse_measures
from gradeval.ltr.crossvalidation.crossvalidation_table import (
    FIELDS,
    compare_by_measure,
    intervals,
    means_with_marks,
    records,
)
from gradeval.ltr.crossvalidation.trials import Plan, Result, Training, Trial, run_trials, weights_by_topic
from gradeval.ltr.data.weights import weights_by_row
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.rankers.kinds import KINDS, ranker_class
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.progress import progress_of
from gradeval.scores.scores import Empty, Scores
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

TrainingProgress: TypeAlias = Callable[[Training, int, int], None]
"""Called as progress(training, done, total) after each training."""


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Tabular):
    """The scores of rankers that were trained for several objectives, on data that they had not seen.

    Attributes
    ----------
    features : all parts together; each topic was tested once, by a ranker that had not seen it.
    predictions : float64[objective, seed, row], the scores of the test documents.
    by_seed : the evaluation for each seed; its runs are the objectives.
    trainings : every training, by objective, seed and fold.
    objectives, seeds : the labels of the first two axes of ``predictions``.
    """

    features: Features
    predictions: Array
    by_seed: tuple[Scores, ...]
    trainings: tuple[Training, ...]
    objectives: tuple[str, ...]
    seeds: tuple[int, ...]

    @property
    def folds(self) -> int:
        """The number of folds, which is also the number of parts."""
        return len(self.trainings) // (len(self.objectives) * len(self.seeds))

    @property
    def scores(self) -> Scores:
        """For each topic the mean over the seeds. Compare objectives by these scores."""
        return replace(self.by_seed[0], values=np.mean([scores.values for scores in self.by_seed], axis=0))

    @property
    def ranker(self) -> str:
        """The kind of the rankers."""
        return self.trainings[0].ranker

    def tied_share(self) -> Array:
        """float64[objective]: the share of test documents that have the score of another document of their topic."""
        documents = len(self.features) * len(self.seeds)
        ties = [[self.features.count_ties(scores) for scores in by_seed] for by_seed in self.predictions]
        return np.asarray(np.sum(ties, axis=1) / documents)

    def table(self, digits: int = 4, *, baseline: str | None = None, alpha: float = 0.05) -> Table:
        """Means over all topics: a row for each training objective, a column for each test measure; the best is marked.

        ▲ and ▼ mark significantly better and worse than the baseline, by a paired t test with Holm's correction.

        Parameters
        ----------
        digits : the number of decimals.
        baseline : the objective that the others are compared with. Default: the best by each measure.
        alpha : the significance level; confidence intervals have level 1 - alpha.
        """
        alpha = share("alpha", alpha, 0.05)
        scores = self.scores
        bounds, comparisons = intervals(scores, alpha), compare_by_measure(scores, baseline, alpha)
        settings: list[Value] = [self.ranker, len(self.seeds), self.folds]
        rows = records(scores, bounds, comparisons, alpha, settings)
        return Table([means_with_marks(scores, bounds, comparisons, digits)], Records.of(FIELDS, rows))


def crossval(
    parts: Sequence[Features],
    objectives: str | Objective | Sequence[str | Objective],
    measures: str | Measure | Sequence[str | Measure],
    ranker: type[Ranker] | str,
    *,
    seeds: int | Sequence[int] = 1,
    validate_by: str | Measure | None = None,
    empty: Empty = "zero",
    sample_weight: Sequence[float] | Array | None = None,
    jobs: int = 1,
    work: str | os.PathLike[str] | None = None,
    progress: TrainingProgress | bool | None = False,
    **parameters: Any,
) -> CrossValidation:
    """Train rankers for several objectives by cross-validation, and test each part by rankers that have not seen it.

    As in LETOR, fold 1 tests on the last part, validates on the one before and trains on the others; each further fold
    rotates the parts by one. Equal scores stay in the order of the file. All trainings share the parameters, the levels
    of all parts together, and all features; a feature that a part lacks is 0 there.

    Parameters
    ----------
    parts : 3 or more, which have no topic in common.
    objectives : as in ``"lambdarank:GAP(g=[0.5,0.5])"``, each once.
    measures : the measures to test by.
    ranker : the class to train, LinearRanker, NeuralRanker or TreeRanker; or its name: "linear", "neural", "tree".
    seeds : a number of seeds (0, 1, 2 ...) or a list of them; every ranker is trained once for each.
    validate_by : the validation measure, which stops training. Default: that of the objective.
    empty : whether topics without relevant documents count 0 ("zero"), are left out ("skip") or count 1 ("one").
    sample_weight : weights of the queries or of the rows of all parts, in their order, as ``fit`` of a ranker takes
        them. They act where their rows are trained on; validation and tests are not weighted.
    jobs : the number of processes that train in parallel; 0 uses all cores, with ``threads`` for each training. Results
        do not depend on it. With more than one process the script needs ``if __name__ == "__main__":``.
    work : a folder that keeps finished trainings; a later call with the same data and parameters reuses them.
    progress : True shows a bar; a function is called after each training.
    parameters : parameters of the ranker: epochs, patience, threads (1 by default) ...

    Raises
    ------
    InputError : fewer than 3 parts, a topic in two parts, an objective twice, no seed, or wrong parameters.
    Source of the design: Robertson, Kanoulas & Yilmaz (2010), section 5.
    """
    listed = [objectives] if isinstance(objectives, str | Objective) else objectives
    parsed = list(map(Objective.parse, listed))
    names = tuple(map(str, parsed))
    numbers = _list_seeds(seeds)
    kind: Any = ranker_class(ranker) if isinstance(ranker, str) else ranker
    if not (isinstance(kind, type) and issubclass(kind, Ranker)):
        raise InputError(f"ranker={shown(ranker)} is neither a class of rankers nor one of {', '.join(KINDS)}")
    jobs = whole("jobs", jobs, 0)
    tested = parse_measures(measures)
    _require_parts_and_objectives(parts, names)
    everything = Features.concat(parts, name=" + ".join(os.path.basename(part.name) for part in parts))
    weights = weights_by_row(sample_weight, everything)
    plan = Plan(
        parts=tuple(replace(everything.select(part.topics), name=part.name) for part in parts),
        ranker=kind,
        parameters=parameters,
        validate_by=None if validate_by is None else parse_measure(validate_by),
        work=None if work is None else os.fspath(work),
        weights=None if weights is None else weights_by_topic(weights, everything),
    )
    rankers = [
        plan.ranker(one, **parameters) for one in parsed
    ]  # wrong parameters are an error before the first training
    trials = [Trial(one.objective, seed, fold) for one in rankers for seed in numbers for fold in range(len(parts))]
    qrels = everything.qrels  # an error if a document stands twice in a topic
    results: dict[Trial, Result] = {}
    with progress_of(progress, "crossval") as tell:
        for trial, result in run_trials(plan, trials, jobs or _count_jobs(parameters.get("threads", 1))):
            results[trial] = result
            if progress is True:
                tell(len(results), len(trials))
            elif tell is not None:
                tell(result[1], len(results), len(trials))
    predictions = np.empty((len(names), len(numbers), len(everything)))
    ends = np.cumsum([0, *map(len, parts)])
    for trial, (scores, _) in results.items():
        part = (trial.fold - 1) % len(parts)
        place = names.index(str(trial.objective)), numbers.index(trial.seed)
        predictions[place][ends[part] : ends[part + 1]] = scores
    by_seed = []
    for number in range(len(numbers)):
        runs = [everything.run(rows[number], name=name) for rows, name in zip(predictions, names, strict=True)]
        by_seed.append(evaluate_part(qrels, runs, tested, ties="order", empty=empty)[0])
    trainings = tuple(results[trial][1] for trial in trials)
    return CrossValidation(everything, predictions, tuple(by_seed), trainings, names, numbers)


def _require_parts_and_objectives(parts: Sequence[Features], names: Sequence[str]) -> None:
    if len(parts) < 3:
        raise InputError(f"{len(parts)} parts; cross-validation needs 3 or more, to train, to validate and to test")
    if not names:
        raise InputError("no objective; give one or more, as in 'lambdarank:GAP(g=[0.5,0.5])'")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(
            f"the objective {twice[0]} is given twice, or with another sigma, truncation or estimator: give each once; "
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
        raise InputError(f"seeds={shown(value)} is neither a whole number from 1 nor a list of seeds")
    seeds = tuple(whole("seed", seed, 0) for seed in value)
    if not seeds or len(set(seeds)) < len(seeds):
        raise InputError("seeds: give one or more, no two alike")
    return seeds
