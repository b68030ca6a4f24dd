"""Values of single topics, from one or several files or frames, put together as scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, compress, product
from typing import Any, NamedTuple, Never

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Identity
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY, Measure, values_only
from gradeval.formula.levels import Levels, show_levels, whole_levels
from gradeval.formula.spelling import choose_measures, measure_of_values
from gradeval.messages import Given, list_some, naming, plural
from gradeval.scores.joining import require_same_ties
from gradeval.scores.lacking_measures import about_left_out, find_left_out
from gradeval.scores.level_dependence import depends_on_levels
from gradeval.scores.measure_columns import TAKEN
from gradeval.scores.mistakes import COUNT_MISSING
from gradeval.scores.runs_of_files import number_cells, tell_runs_apart
from gradeval.scores.saved_facts import ask_of_saved, join_counts, values_as_often
from gradeval.scores.score_rows import ALL, ScoreRows
from gradeval.scores.scores import MISSING, Empty, Missing, Scores, Unit
from gradeval.scores.selection import Named, RunSelection
from gradeval.warning_categories import CollectionWarning, Note, NoteWeight

COUNTED: tuple[Empty, Empty] = ("zero", "skip")
"""How empty topics may count whose values are left out."""
SCORE_AGAIN = "score all runs by the same judgments: gradeval evaluate QRELS RUNS -q -o both.parquet"
"""What to do about files of scores by other judgments."""
TRIED = (whole_levels(2), whole_levels(3))
"""Two sets of levels by which it is tried whether a measure depends on them."""


def _refuse_topic_all(part: ScoreRows) -> None:
    """Refuse a second value of "all": a topic has that name."""
    if part.second_mean is not None:
        where, run, measure = part.second_mean
        raise InputError(
            f"{where}: {measure} of run {run!r} has two values for {ALL!r}, of all topics and of a topic called so; "
            "write the scores as Parquet, which tells them apart, or rename the topic"
        )


def _unit_of(parts: Sequence[ScoreRows]) -> Unit:
    """What the topics of files are; of means, all files hold them (see ``as_means``)."""
    if any(part.unit == "means" for part in parts):
        return "means"
    return "tasks" if any(part.unit == "tasks" for part in parts) else "topics"


def gather(
    parts: Sequence[ScoreRows],
    missing: Missing | None = None,
    empty: Empty | None = None,
    needed: Sequence[str | Measure] = (),
    runs: RunSelection | None = None,
) -> Scores:
    """The scores in all parts; ``missing`` and ``empty``: None takes the parts' own.

    ``needed``: the measures that are asked for; nothing: those that all files have. ``runs``: which runs are
    asked for; where they are named, others may lack these measures.

    Raises
    ------
    InputError : no value, a part or a run with means and no values of topics, a value that is given twice, a run with
        values of some measures of a topic but not of others; parts that count topics differently, that order ties
        differently, or that were scored by other judgments.
    """
    _refuse_means_alone(parts)
    ties = _common_ties(parts)
    _require_same_judgments(parts)
    parts, renamed = tell_runs_apart(parts)
    levels = _common_levels(parts, needed)
    said, unit = [_policies(part) for part in parts], _unit_of(parts)
    how = (
        missing or _agreed(parts, "missing", [one for one, _ in said]) or "zero",
        empty or _agreed(parts, "empty", [one for _, one in said]) or "zero",
        needed,
        runs,
    )
    scores = _fill(parts, *how)
    for part in parts:
        _refuse_topic_all(part)
    if known := values_as_often(parts):
        often = _fill([replace(part, values=values) for part, values in zip(parts, known, strict=True)], *how)
        scores = replace(scores, as_often=often.values if often.measures == scores.measures else None)
    scores = replace(scores, unit=unit, seeds=max(part.seeds for part in parts))
    notes = _about_topics(scores, [] if empty else said)
    collection = parts[0].collection if len(set(map(_digest, parts))) == 1 else None
    return replace(
        scores,
        ties=ties,
        collection=collection,
        levels=levels,
        notes=[
            *ask_of_saved(parts),
            *_about_joined(scores, collection),
            *renamed,
            *scores.notes,
            *(Note(text, own_weight=NoteWeight.MEANING) for text in notes),
            *_about_levels(parts),
            *map(Note, _about_parts(parts)),
        ],
    )


def _about_joined(scores: Scores, collection: Identity | None) -> Iterator[Note]:
    """That topics join columns, as of a user and a fold."""
    if collection is not None and collection.joins:
        from gradeval.scores.joined_topics import about_joined_topics  # here, as few topics join columns

        for text in about_joined_topics(scores.topics, collection.joins):
            yield Note(text, own_weight=NoteWeight.COVERAGE)


class NamesOfRuns(NamedTuple):
    """The names of runs, among which some are chosen."""

    runs: list[str]


def _refuse_means_alone(parts: Sequence[ScoreRows]) -> None:
    """Refuse what would be left out without a word: a part, or a run of it, with means and no values of topics."""
    for part in parts:
        alone = {run: None for run, _ in part.means if run not in part.names[0]}
        if alone and len(part.values):
            raise InputError(
                f"{part.place}: has only means of {list_some([*alone])}, no values of single topics; "
                "add these values, or leave out the lines of that run"
            )
        if not len(part.values) and (alone or len(parts) == 1):
            raise _without_topics(part.place)
    if not any(len(part.values) for part in parts):
        raise _without_topics(_sources(parts))


def _without_topics(place: str) -> InputError:
    return InputError(
        f"{place}: has no values of single topics, only means or nothing; "
        f"write the values of topics, too: gradeval evaluate -q; {TAKEN}"
    )


def _fill(
    parts: Sequence[ScoreRows],
    missing: Missing,
    empty: Empty,
    needed: Sequence[str | Measure] = (),
    asked: RunSelection | None = None,
) -> Scores:
    """Dense scores of all values; a run without any value for a topic misses it, and with empty="skip" a topic is empty
    for a measure of which no run has a value there."""
    (runs, topics, names), codes = number_cells(parts)
    run, topic, name = np.hstack(codes)
    dense = np.full((len(runs), len(topics), len(names)), np.nan)
    dense[run, topic, name] = np.concatenate([part.values for part in parts])
    if np.isfinite(dense).sum() < len(run):
        _refuse_twice(parts, np.ravel_multi_index((run, topic, name), dense.shape))
    present = np.isfinite(dense).any(-1)
    at, flags = _known_flags(parts, [part.present for part in parts])
    absent, clash = _mark(present.shape, (run[at], topic[at]), ~flags)
    if clash is not None:
        raise InputError(
            f"{_sources(parts)}: run {runs[clash[0]]!r} is present in some rows of topic {topics[clash[1]]!r} only"
        )
    at, flags = _known_flags(parts, [part.vacant for part in parts])
    vacant, clash = _mark(dense.shape[1:], (topic[at], name[at]), flags)
    if clash is not None:
        raise InputError(
            f"{_sources(parts)}: topic {topics[clash[0]]!r} has relevant documents for {names[clash[1]]} by some rows, "
            "and none by others; score all by the same judgments"
        )
    measures, dense, vacant = _merge_names(names, dense, vacant)
    there = np.isfinite(dense)
    if empty == "skip":
        vacant |= present.any(0)[:, None] & ~there.any(0)
    whole = there if empty == "zero" else there | vacant  # whatever stands there, vacant topics are left out or count 1
    of_means = _unit_of(parts) == "means"
    lacking = np.zeros_like(whole) if of_means else present[..., None] & ~whole
    if isinstance(asked, Named):
        with naming("runs", asked):
            chosen = {*asked.runs(NamesOfRuns(runs))}
        lacking &= np.array([run in chosen for run in runs])[:, None, None]
    left = find_left_out(measures, lacking, [(own[0], own[1]) for own in codes], needed)
    if lacking[..., ~left].any():
        run, topic, measure = np.argwhere(lacking & ~left)[0].tolist()
        _refuse_lacking(parts, runs[run], topics[topic], measures[measure], empty=not there[:, topic, measure].any())
    judgments = {_digest(part) for part in parts}
    return Scores(
        saved_judging=join_counts(parts, run, topic, (runs, topics)) if len(judgments) == 1 else None,
        values=(dense if of_means else np.where(there, dense, 0.0))[..., ~left],
        present=present & ~absent,
        vacant=vacant[:, ~left],
        runs=runs,
        topics=topics,
        measures=list(compress(measures, (~left).tolist())),
        missing=missing,
        empty=empty,
        notes=[] if needed else about_left_out(measures, runs, lacking, left),
    )


def _refuse_lacking(parts: Sequence[ScoreRows], run: str, topic: str, measure: Measure, *, empty: bool) -> Never:
    """Refuse a run without a value; ``empty``: no run has one, so that the topic may be empty."""
    source = next((part for part in parts if part.source and run not in part.names[0]), None)
    if source is not None:
        raise InputError(f"{source.place}: has no run {run!r}; each file with a source needs all runs; {SCORE_AGAIN}")
    raise InputError(
        f"{_sources(parts)}: run {run!r} has no {measure} for topic {topic!r}, though it has other measures; give "
        "every measure for the same runs and topics",
        *(["; or say ", Given("empty", "skip"), ", if it is empty for that measure"] if empty else []),
    )


def _refuse_twice(parts: Sequence[ScoreRows], cells: Array) -> Never:
    """Refuse two values of one cell; the error names the second."""
    row = int(np.setdiff1d(np.arange(len(cells)), np.unique(cells, return_index=True)[1])[0])
    for part in parts:
        if row < len(part.values):
            run, topic, measure = (names[code] for names, code in zip(part.names, part.codes[:, row], strict=True))
            raise InputError(f"{part.where(row)}: {measure} of run {run!r} for topic {topic!r} is given twice")
        row -= len(part.values)
    raise AssertionError("no value is given twice")


def _known_flags(parts: Sequence[ScoreRows], flags: Sequence[Array | None]) -> tuple[Array, Array]:
    """The rows of which a flag is known, counted over all parts, and the flag of each."""
    known = [np.full(len(part.values), one is not None) for part, one in zip(parts, flags, strict=True)]
    rows = np.flatnonzero(np.concatenate(known))
    return rows, np.concatenate([np.zeros(0, bool), *(one for one in flags if one is not None)])


def _mark(shape: tuple[int, ...], cells: tuple[Array, Array], flags: Array) -> tuple[Array, tuple[int, int] | None]:
    """bool[cell]: which cells have rows with a flag; and the first cell of which other rows have none."""
    marks = np.zeros(shape, bool)
    marks[tuple(axis[flags] for axis in cells)] = True
    clash = marks[cells] & ~flags
    first = int(clash.argmax()) if clash.any() else None
    return marks, None if first is None else (int(cells[0][first]), int(cells[1][first]))


def _merge_names(names: Sequence[str], dense: Array, vacant: Array) -> tuple[list[Measure], Array, Array]:
    """The measures of the names, and values[run, topic, measure] and vacant[topic, measure] of them.

    Two names of one measure, as Rprec and Rprec_mult_1.00, are one where their values agree; else the other name stays
    with it, with values only.
    """
    measures = {name: measure_of_values(name) for name in names}
    by_spelling: dict[str, list[str]] = {}
    for name, measure in measures.items():
        by_spelling.setdefault(str(measure), []).append(name)
    place = {name: at for at, name in enumerate(names)}
    column: dict[Measure, int] = {}
    for spelling, group in by_spelling.items():
        first, *others = sorted(group, key=lambda name: name != spelling)
        column[measures[first]] = place[first]
        values = dense[..., place[first]]
        for other in others:
            beside = dense[..., place[other]]
            both = np.isfinite(values) & np.isfinite(beside)
            if (values[both] != beside[both]).any():
                measures[other] = values_only(other, measures[first].definition.aggregate)
                column[measures[other]] = place[other]
            else:
                np.copyto(values, beside, where=np.isnan(values))
                vacant[:, place[first]] |= vacant[:, place[other]]
    kept = list(dict.fromkeys(measures[name] for name in names))
    chosen = [column[measure] for measure in kept]
    return kept, dense[..., chosen], vacant[:, chosen]


def _policies(part: ScoreRows) -> tuple[Missing | None, Empty | None]:
    """How a part counts missing and empty topics: as it says itself, else as its means tell; None: not known.

    Where values are left out, only one way to count topics gives the means in a file of ``evaluate -q``.
    """
    whole = len(part.values) == math.prod(map(len, part.names))
    if part.missing is not None or whole or not part.means:
        return part.missing, part.empty
    ways: Iterator[tuple[Missing, Empty]] = product(MISSING, COUNTED)
    for missing, empty in ways:
        try:
            scores = _fill([part], missing, empty)
            if _gives_means(scores, part):
                unsaid = scores.present.all() or not part.exact
                return None if unsaid else missing, empty if scores.vacant.any() else None
        except InputError:  # the way to count that is taken reports what is wrong
            continue
    return None, None


def _gives_means(scores: Scores, part: ScoreRows) -> bool:
    """Do some scores have the means of the part, for every run and measure?"""
    run_at = {run: place for place, run in enumerate(scores.runs)}
    column = {str(measure): place for place, measure in enumerate(scores.measures)}
    means, rounding = scores.mean(), 1e-9 if part.exact else 1e-4
    for run, name in product(part.names[0], part.names[2]):
        mean = part.means.get((run, name), math.nan)
        own = means[run_at[run], column.get(name, column.get(str(measure_of_values(name)), 0))]
        if not abs(own - mean) <= rounding * max(1.0, abs(mean)):
            return False
    return True


def _agreed(parts: Sequence[ScoreRows], name: str, said: Sequence[Any]) -> Any:
    """The policy that the parts state; an error where they differ; None where no part states one."""
    first: dict[Any, ScoreRows] = {}
    for part, one in zip(parts, said, strict=True):
        if one is not None:
            first.setdefault(one, part)
    if len(first) > 1:
        (one, a), (other, b), *_ = first.items()
        which, otherwise = Given(name, one), Given(name, other)
        raise InputError(f"{a.place} has ", which, f", {b.place} has ", otherwise, "; say which, as in ", which)
    return next(iter(first), None)


def _common_ties(parts: Sequence[ScoreRows]) -> Ties | None:
    """How the parts treat ties; an error where they differ, unless their sources tell their measures apart."""
    known = [part for part in parts if part.ties is not None]
    ties = {part.ties for part in known}
    if len(ties) > 1 and not all(part.source for part in known):
        try:
            require_same_ties(part.ties for part in known)
        except InputError as error:
            raise error.within(_sources(known)) from None
    return ties.pop() if len(ties) == 1 else None


def _digest(part: ScoreRows) -> str | None:
    return None if part.collection is None else part.collection.digest


def _require_same_judgments(parts: Sequence[ScoreRows]) -> None:
    """Refuse values of one measure for one topic by different judgments."""
    for one, other in combinations(parts, 2):
        if one.collection is None or other.collection is None:
            continue
        shared = [topic for topic in one.names[1] if topic in set(other.names[1])]
        if one.collection.digest != other.collection.digest and shared and set(one.measures) & set(other.measures):
            again, runs = SCORE_AGAIN, {*one.names[0]}
            if runs == {*other.names[0]}:
                again = f"for folds, take the mean by topic (docs/ratings.md, Folds); else {again}"
                again += (
                    "; to see what the judgments change, give each file a source, as in a=FILE" if len(runs) > 1 else ""
                )
            how = other.collection.tell_apart(one.collection, one.place)
            what = f"{other.place}: was scored {how}, and has topic {shared[0]!r}, too"
            raise InputError(f"{what}; {again}")


def _levels_by_measure(parts: Sequence[ScoreRows]) -> dict[str, set[Levels | None]]:
    """By which levels the values of each measure were scored; None: not known."""
    by_measure: dict[str, set[Levels | None]] = {}
    for part in parts:
        known, code = part.levels or ([None], 0)
        pairs = np.bincount(part.codes[2] * len(known) + code)
        for name, level in zip(*np.divmod(np.flatnonzero(pairs), len(known)), strict=True):
            by_measure.setdefault(part.measures[name], set()).add(known[level])
    return by_measure


def _common_levels(parts: Sequence[ScoreRows], needed: Sequence[str | Measure] = ()) -> Levels | None:
    """The levels of all values; None where they differ or are not known; an error where a measure depends on them that
    is ``needed`` (nothing: each is)."""
    by_measure = _levels_by_measure(parts)
    measures = {name: measure_of_values(name) for name in by_measure}
    asked = choose_measures(needed, [*measures.values()]) if needed else [*measures.values()]
    for name, known in by_measure.items():
        if measures[name] not in asked:
            continue
        several = sorted(levels for levels in known if levels is not None)
        whole = tuple(sorted({level for levels in several for level in levels}))
        for part in several:
            if part != whole and depends_on_levels(_without_source(name), part, whole):
                other = next(levels for levels in reversed(several) if levels != part)
                raise InputError(
                    f"{_sources(parts)}: {name} depends on the levels, which are {show_levels(part)} in some rows and "
                    f"{show_levels(other)} in others; score all parts by the same, as with ",
                    Given("levels", whole, show_levels(whole)),
                )
    every = {known for levels in by_measure.values() for known in levels}
    return every.pop() if len(every) == 1 else None


def _without_source(name: str) -> Measure:
    """The measure that a name spells, also behind a source."""
    measure, (_, _, rest) = measure_of_values(name), name.partition(":")
    return measure if measure.name in REGISTRY or not rest else measure_of_values(rest)


def _about_parts(parts: Sequence[ScoreRows]) -> Iterator[str]:
    """What was left out of the parts, and what they do not say."""
    for part in parts:
        yield from part.notes
        if not len(part.values):
            yield f"{part.place}: holds no values"
    texts = [f"{part.source}:{name}" if part.source else name for part in parts for name in part.texts]
    if texts:
        yield f"left out, as the values are text: {', '.join(dict.fromkeys(texts))}"


def _about_levels(parts: Sequence[ScoreRows]) -> Iterator[Note]:
    """That parts of other topics do not say their levels, where a measure depends on them."""
    for one, other in combinations(parts, 2):
        if (one.levels is not None and other.levels is not None) or not set(one.names[1]).isdisjoint(other.names[1]):
            continue
        shared = [name for name in one.measures if name in other.measures]
        if depend := [name for name in shared if depends_on_levels(_without_source(name), *TRIED)]:
            yield Note(
                f"{one.place}, {other.place}: do not say by which levels they were scored, on which {depend[0]} "
                "depends; score the parts of a collection by the same levels",
                CollectionWarning,
            )
            return


def _about_topics(scores: Scores, said: Sequence[tuple[str | None, str | None]]) -> Iterator[str]:
    """Which runs miss topics, and that topics are empty for a measure; how these count."""
    if not scores.present.all() and not (
        scores.unit == "tasks" and scores.missing == "zero"
    ):  # which the choice of topics says
        lacking = [run for run, there in zip(scores.runs, scores.present, strict=True) if not there.all()]
        have = f"{plural(len(lacking), 'run')} {'has' if len(lacking) == 1 else 'have'}"
        yield f"{have} no scores for some topics ({list_some(lacking)}); {COUNT_MISSING[scores.missing]}"
    if scores.vacant.any() and any(empty is None for _, empty in said):
        consequence = {"zero": "count 0", "one": "count 1", "skip": "are left out"}[scores.empty]
        yield f"topics with nothing to be found for a measure {consequence}, as nothing says otherwise"


def _sources(parts: Sequence[ScoreRows]) -> str:
    return ", ".join(part.place for part in parts)
