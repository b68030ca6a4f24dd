"""evaluate(): from judgments and runs to scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns, Ties, judge
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.runs import Run
from gradeval.files.read import Path
from gradeval.formats.text.trec import NamedRuns, name_apart, read_qrels, read_run
from gradeval.formula.definition import Measure
from gradeval.formula.judged import Array, JudgedRankings
from gradeval.formula.spelling import parse_measures
from gradeval.scores.scores import Coverage, Empty, Missing, Scores, require_policies

Table: TypeAlias = Mapping[str, Mapping[str, float]]

DEFAULT = "AP nDCG@10 GAP Q@10 ERR@20 RBP Judged@10"
"""What is measured where nobody says."""


def evaluate(
    qrels: Qrels | Path | Table,
    runs: Run | Path | Table | Iterable[Run | Path | Table] | NamedRuns,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    missing: Missing = "zero",
    empty: Empty = "zero",
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    topics: str | Sequence[str] | None = None,
    depth: int | None = None,
    threads: int = 0,
) -> Scores:
    """Score runs: the value of every measure for every run and topic of the qrels.

    Parameters
    ----------
    qrels : Qrels, a file, or ``{topic: {document: grade}}``.
    runs : one or several of: Run, a file, or ``{topic: {document: score}}``. Runs that share a tag are
        called by their file names.
    measures : measures or their spellings, as in ``"AP nDCG@20 GAP(g=[0.5,0.5])"``.
    missing : topics that a run misses count 0 ("zero") or are left out of its mean ("skip").
    empty : topics without a relevant document count 0, are left out, or count 1 ("one").
    ties, negative, threads : see ``judge``.
    topics : only these topics of the qrels.
    depth : only the first documents of each ranking.

    >>> qrels = {"301": {"d1": 2, "d2": 0, "d3": 1}}
    >>> print(evaluate(qrels, {"301": {"d2": 3.0, "d1": 2.0, "d3": 1.0}}, "AP GAP nDCG@2"))
    run      AP     GAP  nDCG@2
    run  0.5833  0.5556  0.4796
    """
    everything = _qrels(qrels)
    scores, others = evaluate_part(
        everything,
        _runs(runs),
        measures,
        missing=missing,
        empty=empty,
        ties=ties,
        negative=negative,
        topics=topics,
        depth=depth,
        threads=threads,
    )
    require_common_topic(everything, scores.present, others)
    return scores


def evaluate_part(
    qrels: Qrels,
    runs: Sequence[Run],
    measures: str | Measure | Iterable[str | Measure],
    *,
    missing: Missing = "zero",
    empty: Empty = "zero",
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    topics: str | Sequence[str] | None = None,
    depth: int | None = None,
    threads: int = 0,
) -> tuple[Scores, list[str]]:
    """``evaluate`` some of the runs; and the topics they have that are not scored.

    Whether it is an error that runs have nothing else, all of them decide together: see ``require_common_topic``.
    """
    parsed = parse_measures(measures)
    require_policies(missing, empty)
    if depth is not None and (depth < 1 or depth != int(depth)):
        raise InputError(f"depth {depth} is not a whole number of ranks from 1")
    chosen = qrels if topics is None else qrels.select(topics)
    if not chosen.topics:
        raise InputError(f"{qrels.name}: no topic to score; choose at least one of {len(qrels.topics)}")
    judged = judge(chosen, runs, ties=ties, negative=negative, threads=threads)
    coverage = covered(judged, frozenset(qrels.topics) if topics is not None else frozenset())
    others = [topic for unjudged in judged.unjudged_topics for topic in unjudged]
    if depth is not None:
        judged = judged.top(depth)
    return score(judged, parsed, missing=missing, empty=empty, coverage=coverage), others


def require_common_topic(qrels: Qrels, present: Array, others: Sequence[str]) -> None:
    """An error where no run has a scored topic (present[run, topic]), and qrels know none of the ``others``."""
    if others and not present.any() and set(qrels.topics).isdisjoint(others):
        raise InputError(
            f"no run has a topic of {qrels.name}: {qrels.topics[0]!r} there, {others[0]!r} here; are the ids alike?"
        )


def score(
    judged: JudgedRuns,
    measures: Sequence[Measure],
    *,
    missing: Missing = "zero",
    empty: Empty = "zero",
    coverage: Coverage | None = None,
) -> Scores:
    """Scores of runs that have met their judgments; ``coverage`` where it is not that of these runs as they are."""
    if len(set(judged.runs)) < len(judged.runs):
        twice = next(name for name in judged.runs if judged.runs.count(name) > 1)
        raise InputError(f"two runs are called {twice!r}; give each a name of its own")
    values = np.zeros((len(measures), len(judged)))
    for rows, block in judged.blocks():
        for row, measure in zip(values, measures, strict=True):
            row[rows] = one_each(measure, block)
    require_finite(values, judged, measures)
    return Scores(
        values=values.T.reshape(len(judged.runs), len(judged.topics), len(measures)),
        present=judged.present,
        vacant=vacancy(judged, measures),
        runs=judged.runs,
        topics=judged.topics,
        measures=list(measures),
        missing=missing,
        empty=empty,
        coverage=coverage or covered(judged),
    )


def one_each(measure: Measure, block: JudgedRankings) -> Array:
    """The value of each ranking; an error where a formula, as a user may have written it, gives something else."""
    found = measure(block)
    if np.shape(found) != block.retrieved.shape:
        raise InputError(
            f"{measure}: its formula gave shape {list(np.shape(found))} for rankings {list(block.retrieved.shape)}; a "
            "formula keeps the leading axes and sums over the last, as in hits.sum(-1)"
        )
    return found


def require_finite(values: Array, judged: JudgedRuns, measures: Sequence[Measure]) -> None:
    """An error for values [measure, row] that are NaN or infinite, as a formula may give that divides by 0."""
    if np.isfinite(values).all():
        return
    which, row = np.argwhere(~np.isfinite(values))[0]
    run, topic = divmod(int(row), len(judged.topics))
    raise InputError(
        f"{measures[which]}: its formula gave {values[which, row]} for run {judged.runs[run]}, topic "
        f"{judged.topics[topic]}; divide with ratio, which gives 0 where there is nothing to find"
    )


def covered(judged: JudgedRuns, deselected: frozenset[str] = frozenset()) -> Coverage:
    """How much of whole runs the judgments cover; topics that somebody deselected are not missed."""
    return Coverage(
        judged.retrieved,
        judged.tied,
        judged.judged_retrieved,
        [[topic for topic in extra if topic not in deselected] for extra in judged.unjudged_topics],
    )


def vacancy(judged: JudgedRuns, measures: Sequence[Measure]) -> Array:
    """bool[topic, measure]: topics that hold nothing to be found for a measure."""
    pools = judged.grading.pools

    def nothing() -> Array:
        bases = [measure.base(pools) for measure in measures]
        none = np.zeros(len(judged.topics), bool)
        return np.stack([none if base is None else base == 0 for base in bases], axis=-1)

    return pools.keep(("vacancy", *measures), nothing)


def _qrels(given: object) -> Qrels:
    match given:
        case Qrels():
            return given
        case Mapping():
            return Qrels.from_dict(given)
        case str() | PathLike():
            return read_qrels(given)
        case _:
            raise InputError(f"qrels are Qrels, a file or {{topic: {{document: grade}}}}, not {_kind(given)}")


def _runs(given: object) -> list[Run]:
    if isinstance(given, NamedRuns):
        return given.runs
    if isinstance(given, Run | Mapping | str | PathLike) or not isinstance(given, Iterable) or _is_frame(given):
        return [_run(given, 1)]
    several = [_run(run, number) for number, run in enumerate(given, 1)]
    if not several:
        raise InputError("no run given")
    return name_apart(several).runs


def _run(given: object, number: int) -> Run:
    match given:
        case Run():
            return given
        case Mapping():
            return Run.from_dict(given, "run" if number == 1 else f"run {number}")
        case str() | PathLike():
            return read_run(given)
        case _:
            raise InputError(f"a run is a Run, a file or {{topic: {{document: score}}}}, not {_kind(given)}")


def _is_frame(given: object) -> bool:
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "columns")


def _kind(given: object) -> str:
    return f"a {type(given).__name__}" + ("; make it one with from_frame()" if _is_frame(given) else "")
