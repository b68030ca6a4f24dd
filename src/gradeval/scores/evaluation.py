"""judge() and evaluate(): from judgments and runs, in whatever form, to rankings of grades and to scores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import Anything, InFile, Seed, Threads, Whole, known_arguments
from gradeval.collection.meeting import JudgedRuns, Ties, meet
from gradeval.collection.qrels import CHANGES, OF_DICTIONARY, OF_FRAME, Identity, Negative, Qrels
from gradeval.collection.runs import RepeatedBoth, Run
from gradeval.files.accepted import By, Excludes, GivenTexts, Judgments, RankedRuns, as_qrels, as_runs, refuse_swapped
from gradeval.files.folders import Folder
from gradeval.files.readers import LEVELS
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.messages import naming, plain
from gradeval.progress import Progress, ShowProgress, progress_of
from gradeval.scores.mistakes import ask_about_other_topics
from gradeval.scores.notes import about_reading, about_scores, about_slices, warn_of
from gradeval.scores.presets import PresetName, configure, configure_measures, find_preset, with_preset
from gradeval.scores.scores import Empty, Missing, Scores, require_policies
from gradeval.scores.scoring import compute_coverage, score
from gradeval.scores.selection import (
    All,
    Named,
    RunChoice,
    TopicChoice,
    about_runs,
    chosen_by,
    count_relevant,
    keep_common,
    pool_of,
    run_selection,
    select_topics,
    topic_selection,
)
from gradeval.upward import about_sliced_pair
from gradeval.warning_categories import Note

if TYPE_CHECKING:
    from gradeval.scores.slices import Slices

_SAVED: ContextVar[bool] = ContextVar("saved", default=True)
"""May scores be saved, so that verdicts of later commands rest on them?"""
DEFAULT = "AP nDCG@10 GAP Q@10 ERR@20 RBP Judged@10"
"""The measures that ``evaluate`` computes by default."""

MEANT = {
    **{
        name: f"give judgments that read_qrels(FILE, {name}=...), "
        f"{OF_FRAME}.{made}(...) or {OF_DICTIONARY}.{made}(...) makes"
        for name, made in CHANGES.items()
    },
    **dict.fromkeys(
        ("format", "columns", "encoding"), "it is of read_qrels and read_run, which give judgments and runs"
    ),
    **dict.fromkeys(("query_id", "doc_id"), "it is of qrels_from_frame and run_from_frame"),
    "relevance": "it is of qrels_from_frame(frame, relevance=...)",
    "score": "it is of run_from_frame(frame, score=...)",
}
"""Which functions take what says how judgments and runs are read."""

MOST_NAMES = 10
"""Topics of a mapping that judgments lack, up to which they may be names of runs."""
PORTION = 64 << 20
"""Bytes of runs that are scored between two reports of progress."""


def _leave_out(qrels: Qrels, exclude: Excludes) -> Qrels:
    if exclude is None:
        return qrels
    from gradeval.files.exclusions import exclude_from  # here, as few exclude

    return exclude_from(qrels, exclude)


@known_arguments(**MEANT)
@with_preset
def judge(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    *,
    topics: Annotated[TopicChoice, Anything("SELECTION")] = None,
    runs: Annotated[RunChoice, Anything("SELECTION")] = None,
    preset: PresetName | None = None,
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    levels: Annotated[Sequence[float] | None, LEVELS] = None,
    exclude: Annotated[Excludes, Anything("self|FILE")] = None,
    repeated: RepeatedBoth = None,
    folder: Folder | None = None,
    threads: Threads = 0,
) -> JudgedRuns:
    """Match runs with the judgments: what measures need is left, without ids, scores and ties.

    Every line of every run is read and checked, also lines of documents and topics without judgments.

    Parameters
    ----------
    qrels : Qrels, a file, a frame with the columns query_id, doc_id and relevance, ``{topic: {document: grade}}``,
        records of ir_measures or ir_datasets, or Qrels of ranx.
    ranked : one or several runs: Run, a file, a frame with the columns query_id, doc_id and score (and run), or
        ``{topic: {document: score}}``, records of ir_measures, a Run of ranx; a folder or a pattern of files; or
        ``{name: run}``. Runs that share a tag are called by their file names. Plain text is read a few megabytes at a
        time, so that files may be larger than the memory; a file that changes while it is read is an InputError.
    topics : only some topics: 301,302, or few:2 (topics with few documents of grade 2). few:N: topics with R(1) >= 10
        R(N) > 0 for R(N) documents of grade N. Or atleast:5:2 (5 documents of grade 2 or better); of a command also a
        file with a name a line.
    runs : only some runs: names, top:15, or above-q1:AP (without the worst quarter by AP). Or top:15:AP.
    preset : the conventions of a community; what you set goes before them.
    ties : the order of equal scores. docid: by document id, descending; docid-float32: likewise, and scores are
        compared in single precision; order: as in the file; expected: the mean over all orders; best, worst: the best
        or the worst grade first.
    negative : how negative grades are read: as not relevant, or as without a judgment. Such documents stay in the pool.
    levels : the grades of the collection, ascending from 0; others are errors. Default: those in the file, gaps filled.
    exclude : documents that must not count: self, or the pairs in a file. self: a document with the id of its topic;
        FILE: all pairs of topic and document in a file of any kind, whatever else it holds.
    repeated : what counts where a topic has a document several times. Its first or its best line, as where chunks are
        ranked; of judgments by several raters also the mean. mean,best: the mean grade, the best line. Default: that is
        an error; the same judgment counts once.
    folder : whether the files of a folder are parts of one run, or several runs. Default: parts where they are called
        part-* or lie in folders called key=value, or next to _SUCCESS or _metadata.
    threads : processor cores; 0 takes all.

    Notes
    -----
    Excluded documents leave the rankings, where later ones move up, and the judgments; levels stay. Ranks are compared
    with scores before. ``exclude`` takes Qrels, a Run, a frame, ``{topic: [document, ...]}`` and pairs, too, and a list
    of several.

    Ids are compared by bytes. "docid" is the order of trec_eval 10, "docid-float32" of trec_eval up to 9.0.8, "order"
    of LETOR; negative="unjudged" is trec_eval's reading. Runs with ties="expected" are scored, but have no order (see
    ``evaluate``).
    """
    how: dict[str, Any] = {"ties": ties, "negative": negative, "threads": threads}
    refuse_swapped(qrels, ranked)
    known = _leave_out(_on_levels(as_qrels(qrels, repeated=repeated, folder=folder), levels), exclude)
    collection, read, notes = choose_input(known, as_runs(ranked, repeated, folder), topics, runs, preset, **how)
    warn_of(notes, stacklevel=4)
    return meet(collection, read, **how)


@known_arguments(**MEANT)
@with_preset
def evaluate(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    topics: Annotated[TopicChoice, Anything("SELECTION")] = None,
    runs: Annotated[RunChoice, Anything("SELECTION")] = None,
    by: Annotated[By, Anything("FILE|relevant|length")] = None,
    queries: Annotated[GivenTexts | None, InFile()] = None,
    preset: PresetName | None = None,
    missing: Missing = "zero",
    empty: Empty = "zero",
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    levels: Annotated[Sequence[float] | None, LEVELS] = None,
    exclude: Annotated[Excludes, Anything("self|FILE")] = None,
    repeated: RepeatedBoth = None,
    folder: Folder | None = None,
    depth: Annotated[int | None, Whole(1, unit="ranks")] = None,
    residuals: bool = False,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: ShowProgress = False,
) -> Scores:
    """Score runs: the value of every measure for every run and topic of the qrels.

    Parameters
    ----------
    qrels, ranked, topics, runs, preset, ties, negative, levels, exclude, repeated, folder, threads : see
        ``judge``.
    measures : measures or their spellings, as in ``"AP nDCG@20 GAP(g=[0.5,0.5])"``.
    by : show slices of the topics, too: by labels, relevant or length. Labels: a csv or tsv with a column of topics,
        then labels; relevant: thirds by the number of relevant documents; length: thirds by the words of the query.
        FILE:COLUMN,COLUMN takes some columns of labels.
    queries : texts of topics, whose words are counted for slices by length. A file (tsv, JSONL, csv, Parquet), a
        folder, or irds:DATASET.
    missing : topics that a run misses count 0, or are left out of its mean. zero: they count 0; skip: they are left out
        of its mean; common: only topics that all runs have count.
    empty : topics that hold nothing relevant count 0, are left out, or count 1.
    depth : only the first so many documents of each ranking.
    progress : True shows a bar; a function is called with the runs scored, and with their total.
    residuals : also the lowest and the highest value that unjudged documents could give (``Scores.residuals``).
    seed : seed of the orders that are drawn for ties expected.

    Notes
    -----
    ``by`` takes a frame, ``{topic: label}`` and a function of a topic, too. A slice is a selection of topics: levels
    and g stay the collection's. Topics without a label are the slice (none); documents of positive grades are relevant.

    Residuals: each unjudged document of a ranking, down to ``depth``, takes any level of the collection or stays as it
    is, and counts in the pool; documents that are not retrieved stay as they are. Both ends are exact. Measures without
    an exact search, such as Q, and measures that tell unjudged documents from others, such as Bpref, have no residuals,
    as the notes say. Each end of a mean is the mean over the topics' ends; as unjudged documents could fill an empty
    topic, ``empty`` must be "zero".

    With ties="expected" the values of P, nDCG, RBP, AP, GAP, Q, ERR, RR and all measures that are sums over documents
    or pairs of documents, or cascades, are exact; values of other measures are means over 256 drawn orders of a ranking
    (``Scores.errors`` are their standard errors). "best" and "worst" are bounds over all orders for measures that never
    fall when a better document moves up. They are no bounds for Q, AWP, G, nDCGrel, xGAP, BPM, infAP, RBPresidual and
    measures with ``gains`` that do not grow with the grade; with a depth, also not for AUC and measures with
    judged_only.

    Warns
    -----
    FilesWarning : lines of TREC text that begin with # look like data, and are skipped.
    CoverageWarning : topics that a run misses, topics without judgments, topics with nothing to be found, a run of
        which nothing is judged.
    GradesWarning : no graded judgment is under the ``rel`` of a measure, as of stars from 1 to 5 none is for AP.
    IdsWarning : ids that would match without zeros in front, a prefix or case.
    RanksWarning : the ranks of a run contradict its scores, which decide.
    TiesWarning : half of the lines of a run share their score.
        ``warnings.simplefilter("ignore", gradeval.GradevalWarning)`` silences all of them.

    >>> qrels = {"301": {"d1": 2, "d2": 0, "d3": 1}}
    >>> print(evaluate(qrels, {"301": {"d2": 3.0, "d1": 2.0, "d3": 1.0}}, "AP GAP nDCG@2"))
    run      AP     GAP  nDCG@2
    ---------------------------
    run  0.5833  0.5556  0.4796
    """
    refuse_swapped(qrels, ranked)
    collection = _leave_out(_on_levels(as_qrels(qrels, repeated=repeated, folder=folder), levels), exclude)
    how: dict[str, Any] = {"missing": missing, "empty": empty, "ties": ties, "negative": negative, "threads": threads}
    parsed, about = configure_measures(preset, measures, how)
    if residuals:
        from gradeval.scores.residuals import about_residuals  # imported where they are asked for

        about += about_residuals(parsed, ties, empty)
    chosen, read, more = choose_input(
        collection, as_runs(ranked, repeated, folder), topics, runs, preset, measures=parsed, depth=depth, **how
    )
    names = None if chosen is collection else chosen.topics
    slices = _slice(by, queries, chosen, negative, collection.topics)
    with progress_of(progress, "evaluate") as report:
        often = _SAVED.get() and not any(run.is_read_in_place for run in read)  # which scores a mapping over and over
        more_of = {"topics": names, "depth": depth, "seed": seed, "residuals": residuals, "often": often}
        scores = _evaluate_in_portions(collection, read, parsed, report, **more_of, **how)
    if slices is not None:
        scores = replace(scores, slices=slices)
        more = [*more, *about_slices(slices)]
    told = about_scores(_without_as_often(scores), (collection, read))  # no verdict says more of unjudged ones
    if scores.coverage is not None and scores.as_often is not None:
        from gradeval.scores.held_out import are_held_out  # here, as all documents of small runs may be judged

        held_out = are_held_out(pool_of(chosen, negative).pool, scores.coverage.unjudged_top_share)
        scores = _without_as_often(scores) if held_out else scores
    pair = [] if slices is None else about_sliced_pair(replace(scores, notes=told))
    scores.notes[:] = [*about, *more, *pair, *told]
    warn_of(scores.notes, stacklevel=4)  # of the caller: what takes presets and answers unknown arguments is between
    return scores


def _slice(by: By, queries: GivenTexts | None, qrels: Qrels, negative: Negative, known: Sequence[str]) -> Slices | None:
    """The slices of the topics of judgments; ``known``: all topics of the collection."""
    if by is None and queries is None:
        return None
    from gradeval.scores.slices import slice_topics  # here, as few scores are sliced

    return slice_topics(by, qrels.topics, count_relevant(pool_of(qrels, negative)), queries, known=known)


def _on_levels(qrels: Qrels, levels: Sequence[float] | None) -> Qrels:
    """The judgments, on a scale that was declared for them, if any."""
    return qrels if levels is None else qrels.with_levels(levels)


def _evaluate_in_portions(
    qrels: Qrels,
    runs: Sequence[Run],
    measures: str | Measure | Iterable[str | Measure],
    progress: Progress | None,
    **options: Any,
) -> Scores:
    """Score runs some megabytes at a time, and report after each; without ``progress`` all at once.

    At least one run must have a topic of the qrels.
    """
    portions = list(_portions(runs)) if progress is not None else [runs]
    parts: list[Scores] = []
    unjudged: list[list[str]] = []
    for portion in portions:
        scores, more = evaluate_part(qrels, portion, measures, **options)
        parts.append(scores)
        unjudged += more
        if progress is not None:
            progress(sum(len(part.runs) for part in parts), len(runs))
    whole = Scores.concat(parts) if len(parts) > 1 else parts[0]
    require_common_topic(qrels, whole.present, unjudged, runs)
    return whole


def choose_input(
    qrels: Qrels,
    runs: Sequence[Run],
    topics: TopicChoice,
    chosen: RunChoice,
    preset: str | None,
    *,
    measures: Sequence[Measure] = (),
    missing: Missing = "zero",
    empty: Empty = "zero",
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    depth: int | None = None,
    threads: int = 0,
) -> tuple[Qrels, list[Run], list[Note]]:
    """The judgments of the chosen topics, the chosen runs, and which they are.

    A choice of runs by a measure, or by all ``measures``, looks at all topics of the judgments, down to ``depth``.
    """
    notes = about_reading(qrels)
    if chosen is not None:
        selection = run_selection(chosen, partial(configure, find_preset(preset)))
        by = chosen_by(selection) or list(measures)
        if isinstance(selection, All | Named):
            with naming("runs", selection):
                names = selection.runs(_Names([run.name for run in runs]))
        elif not by:
            raise InputError(
                plain("runs", selection), f": has no measure to order the runs by; write one, as in {selection}:AP"
            )
        else:
            judged = meet(qrels, runs, ties=ties, negative=negative, threads=threads)
            scores = score(judged if depth is None else judged.top(depth), by, missing=missing, empty=empty)
            with naming("runs", selection):
                names = selection.runs(scores)
        notes.append(about_runs(selection, names, len(runs)))
        selected = set(names)
        runs = [run for run in runs if run.name in selected]
    if topics is not None:
        kept, note = select_topics(topic_selection(topics), pool_of(qrels, negative))
        notes.append(note)
        qrels = qrels.select(kept)
    if missing == "common" and runs:
        judged = meet(qrels, runs, ties=ties, negative=negative, threads=threads)
        require_common_topic(qrels, judged.present, judged.unjudged_topics, runs)
        kept, more = keep_common(qrels.topics, judged.present, judged.runs)
        notes += more
        qrels = qrels.select(kept)
    return qrels, list(runs), notes


class _Names(NamedTuple):
    runs: list[str]


def _portions(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """The runs in groups of some megabytes, in their order."""
    portion: list[Run] = []
    size = 0
    for run in runs:
        portion.append(run)
        size += os.path.getsize(run.place) if os.path.isfile(run.place) else 0
        if size >= PORTION:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


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
    seed: int = 0,
    residuals: bool = False,
    often: bool = False,
) -> tuple[Scores, list[list[str]]]:
    """``evaluate`` some of the runs; also returns the topics of each that have no judgments.

    ``often``: also the values if unjudged documents were relevant as often as judged ones, where there are some.

    Runs may lack a common topic with the qrels: call ``require_common_topic`` once all runs are scored.
    """
    parsed = parse_measures(measures)
    require_policies(missing, empty)
    seed = arguments.seed(seed)
    depth = None if depth is None else arguments.whole("depth", depth, 1, unit="ranks")
    chosen = qrels if topics is None else qrels.select(topics)
    if not chosen.topics:
        raise InputError(f"{qrels.name}: no topic to score; choose at least one of {len(qrels.topics)}")
    judged = meet(chosen, runs, ties=ties, negative=negative, threads=threads)
    coverage = compute_coverage(judged, frozenset(qrels.topics) if topics is not None else frozenset())
    unjudged = judged.unjudged_topics
    judged = judged if depth is None else judged.top(depth)
    collection = Identity(qrels, (ties, negative, f"depth {depth}"), qrels.joins)
    known: dict[str, Any] = {"coverage": coverage, "collection": collection}
    scores = score(judged, parsed, missing=missing, empty=empty, seed=seed, residuals=residuals, **known)
    if often and coverage.judged_top is not None and scores.errors is None:
        from gradeval.scores.as_often import score_as_often  # here, as all documents of small runs may be judged

        scores = score_as_often(scores, judged)
    return scores, unjudged


@contextmanager
def only_shown() -> Iterator[None]:
    """Scores are not saved as a table for later verdicts: leave out what these would ask of unjudged documents."""
    token = _SAVED.set(False)
    try:
        yield
    finally:
        _SAVED.reset(token)


def _without_as_often(scores: Scores) -> Scores:
    """The scores without what they were if unjudged documents were relevant; themselves where that is not there."""
    return scores if scores.as_often is None else replace(scores, as_often=None)


def require_common_topic(
    qrels: Qrels, present: Array, unjudged: Sequence[Sequence[str]], runs: Sequence[Run] = ()
) -> None:
    """Refuse runs of which none has a topic of the qrels: no present[run, topic], and none among its ``unjudged``."""
    others = [topic for topics in unjudged for topic in topics]
    if others and not present.any() and set(qrels.topics).isdisjoint(others):
        asked = ask_about_other_topics(others, qrels)
        if len(others) <= MOST_NAMES and any(run.is_read_in_place for run in runs):
            asked += f" A run by its name is {{{others[0]!r}: {{topic: [document, ...]}}}}"
        raise InputError(f"no run has a topic of {qrels.name}: {qrels.topics[0]!r} there, {others[0]!r} here; {asked}")
