"""evaluate(): from judgments and runs to scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TypeAlias

from gradeval import checks
from gradeval._core import InputError
from gradeval.collection.meeting import Ties, judge
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.runs import Run
from gradeval.files.read import Path
from gradeval.formats.places import NamedRuns, name_apart, open_run, read_qrels
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.scores.scores import Empty, Missing, Scores, require_policies
from gradeval.scores.scoring import covered, score

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
        called by their file names. Plain text is read a few megabytes at a time, so that files may be larger than
        the memory; a file that changes meanwhile is an InputError.
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
    depth = None if depth is None else checks.whole("depth", depth, 1, unit="ranks")
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
            return open_run(given)
        case _:
            raise InputError(f"a run is a Run, a file or {{topic: {{document: score}}}}, not {_kind(given)}")


def _is_frame(given: object) -> bool:
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "columns")


def _kind(given: object) -> str:
    return f"a {type(given).__name__}" + ("; make it one with from_frame()" if _is_frame(given) else "")
