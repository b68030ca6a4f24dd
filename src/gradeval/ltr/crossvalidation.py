"""Cross-validation: rankers trained for several objectives, and tested by several measures, each query once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Anything, Whole, check_arguments, find_twice, known_arguments, read_fields, whole
from gradeval.features.categories import join_categories
from gradeval.features.feature_arrays import describe_columns
from gradeval.features.features import Features
from gradeval.files.other_tools import is_frame
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure, parse_measures
from gradeval.ltr.crossval_table import CrossValidation
from gradeval.ltr.data.leaks import warn_of_leaks
from gradeval.ltr.data.rows import frame_features
from gradeval.ltr.data.trainable import in_order_of_rows, weights_by_row
from gradeval.ltr.engine_search import EngineSearch
from gradeval.ltr.engine_trees import GROWERS, EngineObjective
from gradeval.ltr.objectives.objective import METHODS, Objective
from gradeval.ltr.rankers.auto import AutoRanker
from gradeval.ltr.rankers.kinds import KINDS, ranker_class
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.rankers.trees import TreeRanker, require_codes
from gradeval.ltr.trials import Plan, Result, Training, Trial, run_trials
from gradeval.messages import Given, nearest
from gradeval.progress import progress_of
from gradeval.scores.evaluation import evaluate_part
from gradeval.scores.scores import Empty, Scores

Trained: TypeAlias = str | Objective | EngineObjective
"""What a ranker is trained for."""
MEASURES = "nDCG@10 AP P@10 GAP"
FOLDS = 5

TrainingProgress: TypeAlias = Callable[[Training, int, int], None]
"""Called as progress(training, done, total) after each training."""


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
    empty : topics that hold nothing relevant count 0, are left out, or count 1.
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
    trained, kind, searches = _prepare(parsed, ranker, parameters)
    everything = Features.concat(parts, name=" + ".join(os.path.basename(part.name) for part in parts))
    weighted = everything if table is None else table
    warn_of_leaks(weighted, parameters.get("categorical") or ())
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
