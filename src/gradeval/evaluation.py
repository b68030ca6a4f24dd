"""judge() and evaluate(): from judgments and runs, in whatever form, to rankings of grades and to scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Protocol, TypeAlias

from gradeval import checks
from gradeval._core import InputError
from gradeval.collection.identity import Identity
from gradeval.collection.meeting import JudgedRuns, Ties, meet
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.runs import Run
from gradeval.files.read import Path
from gradeval.formats.frames.frame import qrels_from_frame, run_from_frame
from gradeval.formats.objects import is_record, name_of, read_objects
from gradeval.formats.places import open_run, read_qrels
from gradeval.formats.run_files import NamedRuns, list_run_files, name_uniquely
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.scores.notes import warn_of
from gradeval.scores.scores import Empty, Missing, Scores, require_policies
from gradeval.scores.scoring import compute_coverage, score

Table: TypeAlias = Mapping[str, Mapping[str, float]]


class Frame(Protocol):
    """Anything that speaks Arrow: a table of pyarrow, a frame of pandas or Polars, a relation of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The columns as an Arrow stream."""


Judgments: TypeAlias = Qrels | Path | Table | Frame
Ranked: TypeAlias = Run | Path | Table | Frame
RankedRuns: TypeAlias = Ranked | Mapping[str, Ranked] | Iterable[Ranked] | NamedRuns

DEFAULT = "AP nDCG@10 GAP Q@10 ERR@20 RBP Judged@10"
"""The measures that ``evaluate`` computes by default."""


def judge(
    qrels: Judgments,
    runs: RankedRuns,
    *,
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    threads: int = 0,
) -> JudgedRuns:
    """Match runs with the judgments: what measures need is left, without ids, scores and ties.

    Every line of every run is read and checked, also those of documents and topics without judgments.

    Parameters
    ----------
    qrels : Qrels, a file, a frame with the columns query_id, doc_id and relevance, ``{topic: {document: grade}}``,
        records of ir_measures or ir_datasets, or Qrels of ranx.
    runs : one or several of: Run, a file, a frame with the columns query_id, doc_id and score, or
        ``{topic: {document: score}}``, records of ir_measures, a Run of ranx; a folder or a pattern of files; or
        ``{name: run}``. Runs that share a tag are called by their file names. Plain text is read a few megabytes at a
        time, so that files may be larger than the memory; a file that changes while it is read is an InputError.
    ties : equal scores are ordered by document id, descending by bytes ("docid", as trec_eval 10; "docid-float32"
        compares scores in single precision, as trec_eval up to 9.0.8), or stay in file order ("order", as LETOR).
    negative : negative grades are judged non-relevant, or ("unjudged", as trec_eval) documents in the pool without
        a judgment.
    threads : how many to use; 0: one for each core.
    """
    return meet(as_qrels(qrels), as_runs(runs), ties=ties, negative=negative, threads=threads)


def evaluate(
    qrels: Judgments,
    runs: RankedRuns,
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
    qrels, runs, ties, negative, threads : see ``judge``.
    measures : measures or their spellings, as in ``"AP nDCG@20 GAP(g=[0.5,0.5])"``.
    missing : topics that a run misses count 0 ("zero") or are left out of its mean ("skip").
    empty : topics without a relevant document count 0, are left out, or count 1 ("one").
    topics : only these topics of the qrels.
    depth : only the first documents of each ranking.

    Warns
    -----
    CoverageWarning : topics that a run misses, topics without judgments, topics with nothing to be found, a run of
        which nothing is judged.
    IdsWarning : ids that match but for zeros in front, a prefix or case.
    RanksWarning : the ranks of a run contradict its scores, which decide.
    TiesWarning : half of the lines of a run share their score.
        ``warnings.simplefilter("ignore", gradeval.GradevalWarning)`` silences all of them.

    >>> qrels = {"301": {"d1": 2, "d2": 0, "d3": 1}}
    >>> print(evaluate(qrels, {"301": {"d2": 3.0, "d1": 2.0, "d3": 1.0}}, "AP GAP nDCG@2"))
    run      AP     GAP  nDCG@2
    ---------------------------
    run  0.5833  0.5556  0.4796
    """
    collection, read = as_qrels(qrels), as_runs(runs)
    scores, others = evaluate_part(
        collection,
        read,
        measures,
        missing=missing,
        empty=empty,
        ties=ties,
        negative=negative,
        topics=topics,
        depth=depth,
        threads=threads,
    )
    require_common_topic(collection, scores.present, others)
    warn_of(scores, collection, read, others, stacklevel=2)
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
    """``evaluate`` some of the runs; also returns their topics that have no judgments.

    Runs may lack a common topic with the qrels: call ``require_common_topic`` once all runs are scored.
    """
    parsed = parse_measures(measures)
    require_policies(missing, empty)
    depth = None if depth is None else checks.whole("depth", depth, 1, unit="ranks")
    chosen = qrels if topics is None else qrels.select(topics)
    if not chosen.topics:
        raise InputError(f"{qrels.name}: no topic to score; choose at least one of {len(qrels.topics)}")
    judged = meet(chosen, runs, ties=ties, negative=negative, threads=threads)
    coverage = compute_coverage(judged, frozenset(qrels.topics) if topics is not None else frozenset())
    others = [topic for unjudged in judged.unjudged_topics for topic in unjudged]
    if depth is not None:
        judged = judged.top(depth)
    collection = Identity(qrels, (ties, negative, f"depth {depth}"))
    scores = score(judged, parsed, missing=missing, empty=empty, coverage=coverage, collection=collection)
    return scores, others


def require_common_topic(qrels: Qrels, present: Array, others: Sequence[str]) -> None:
    """Refuse runs of which none has a topic of the qrels: no present[run, topic], and none among their ``others``."""
    if others and not present.any() and set(qrels.topics).isdisjoint(others):
        raise InputError(
            f"no run has a topic of {qrels.name}: {qrels.topics[0]!r} there, {others[0]!r} here; are the ids alike?"
        )


def as_qrels(judgments: object) -> Qrels:
    """Judgments from anything that ``evaluate`` and ``judge`` accept."""
    match judgments:
        case Qrels():
            return judgments
        case Mapping():
            return Qrels.from_dict(judgments)
        case str() | PathLike():
            return read_qrels(judgments)
    if _is_frame(judgments):
        return qrels_from_frame(judgments)
    if isinstance(judgments, Iterator):
        judgments = list(judgments)
    table = read_objects(judgments, "relevance", "qrels")
    if table is not None:
        return Qrels.from_dict(table)
    accepted = "Qrels, a file, a frame, records or {topic: {document: grade}}"
    raise InputError(f"qrels are {accepted}, not {checks.kind_of(judgments)}")


def as_runs(runs: object) -> list[Run]:
    """One or several runs from anything that ``evaluate`` and ``judge`` accept, under distinct names."""
    if isinstance(runs, NamedRuns):
        return runs.runs
    if isinstance(runs, Mapping) and _holds_runs(runs):
        return name_uniquely([replace(_as_run(run, 1), name=str(name)) for name, run in runs.items()]).runs
    if isinstance(runs, str | PathLike):
        runs = list_run_files([runs])
    elif isinstance(runs, Run | Mapping) or not isinstance(runs, Iterable) or _is_frame(runs):
        return [_as_run(runs, 1)]
    if isinstance(runs, Iterator):
        runs = list(runs)
    if is_record(next(iter(runs), None), "score"):
        return [_as_run(runs, 1)]
    several = [_as_run(run, number) for number, run in enumerate(runs, 1)]
    if not several:
        raise InputError("no run given")
    return name_uniquely(several).runs


def _holds_runs(mapping: Mapping[object, object]) -> bool:
    """Is it {name: run} rather than {topic: {document: score}}?"""
    first = next(iter(mapping.values()), None)
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), Mapping)
    return isinstance(first, Run | str | PathLike) or _is_frame(first)


def _as_run(run: object, number: int) -> Run:
    name = "run" if number == 1 else f"run {number}"
    match run:
        case Run():
            return run
        case Mapping():
            return Run.over(run, name)
        case str() | PathLike():
            return open_run(run)
    if _is_frame(run):
        return run_from_frame(run, name=name)
    if isinstance(run, Iterator):
        run = list(run)
    table = read_objects(run, "score", name)
    if table is not None:
        return Run.from_dict(table, name_of(run) or name)
    accepted = "a Run, a file, a frame, records, {topic: {document: score}}, or several as in {name: run}"
    raise InputError(f"a run is {accepted}, not {checks.kind_of(run)}")


def _is_frame(value: object) -> bool:
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "columns")
