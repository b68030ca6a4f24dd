"""Selections of topics and of runs, which are written, read back and applied."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import find_twice
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.runs import find_run
from gradeval.formula.arithmetic import Array, rounded
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, OtherLevels, show_levels
from gradeval.formula.spelling import parse_measure, split_names
from gradeval.messages import Given, list_some, naming, nearest, plain, plural, shown
from gradeval.scores.mistakes import NAMED
from gradeval.scores.scores import ONE, Scores, Unit
from gradeval.warning_categories import CoverageWarning, Note, NoteWeight

FEWEST_COMMON = 2
"""So many runs must have means of all measures."""
LISTED = 20
"""Chosen runs that are listed."""


class TooFewTopics(InputError):
    """A selection leaves no topic, or fewer than a study takes."""


class JudgedPool(Protocol):
    """What a selection of topics depends on: judged documents by topic and level, as JudgedRuns has them."""

    @property
    def topics(self) -> list[str]:
        """Names of the topics."""

    @property
    def pool(self) -> Array:
        """int64[topic, level]: judged documents."""

    @property
    def levels(self) -> Levels:
        """The grades of the collection, ascending from 0."""


class RunNames(Protocol):
    """What a selection of runs by name depends on."""

    @property
    def runs(self) -> list[str]:
        """Names of the runs."""


@dataclass(frozen=True)
class All:
    """Every topic, or every run; spelled ``all``."""

    def topics(self, judgments: JudgedPool) -> list[str]:
        """All topics."""
        return list(judgments.topics)

    def runs(self, scores: RunNames) -> list[str]:
        """All runs."""
        return list(scores.runs)

    def __str__(self) -> str:
        return "all"


@dataclass(frozen=True)
class Few:
    """Topics with few documents of a grade: R(1) >= 10 R(grade) and R(grade) > 0; spelled ``few:2``.

    R counts the judged documents of exactly that grade; R(1) is the lowest positive level.
    Source: Ferrante, Ferro & Maistro (2014), section 6 ("few highly relevant", "few key").
    """

    TIMES: ClassVar[int] = 10
    grade: float

    def topics(self, judgments: JudgedPool) -> list[str]:
        """The topics, in the order of the collection; an error where there is none."""
        place = _level(self.grade, judgments.levels, first=2)
        few, lowest = judgments.pool[:, place], judgments.pool[:, 1]
        if not few.any():
            raise TooFewTopics(f"selects none of the {len(few)} topics, as none has a document of grade {self.grade:g}")
        return _select(judgments.topics, (few > 0) & (lowest >= self.TIMES * few), "topic")

    def __str__(self) -> str:
        return f"few:{self.grade:g}"


@dataclass(frozen=True)
class AtLeast:
    """Topics with at least so many judged documents of a grade or better; spelled ``atleast:5:2`` (5 of grade 2)."""

    number: int
    grade: float

    def topics(self, judgments: JudgedPool) -> list[str]:
        """The topics, in the order of the collection; an error where there is none."""
        place = _level(self.grade, judgments.levels, first=1)
        return _select(judgments.topics, judgments.pool[:, place:].sum(-1) >= self.number, "topic")

    def __str__(self) -> str:
        return f"atleast:{self.number}:{self.grade:g}"


@dataclass(frozen=True)
class AboveFirstQuartile:
    """Runs whose mean is strictly above the 25th percentile of all runs; spelled ``above-q1:AP``.

    Source: Ferrante, Ferro & Maistro (2014), section 6: it leaves the worst runs out of a correlation.
    """

    measure: Measure

    def runs(self, scores: Scores) -> list[str]:
        """The runs, in the order of the scores; an error where there is none."""
        means = rounded(scores.sel(measures=self.measure).mean()[:, 0])
        return _select(scores.runs, means > np.percentile(means, 25), "run")

    def __str__(self) -> str:
        return f"above-q1:{self.measure}"


@dataclass(frozen=True)
class Top:
    """The best runs; spelled ``top:15:AP``, or ``top:15``: by all measures at once.

    By all measures, runs are ordered by their worst rank among the measures, then by their mean rank, so that the best
    runs are high by every measure. Equal runs are taken in the order of the scores.
    """

    number: int
    measure: Measure | None = None

    def runs(self, scores: Scores) -> list[str]:
        """The runs, in the order of the scores; an error where there are too few."""
        if self.number > len(scores.runs):
            raise InputError(f"there are only {len(scores.runs)} runs")
        chosen = scores if self.measure is None else scores.sel(measures=self.measure)
        ranks = np.stack([np.searchsorted(np.sort(own), own) for own in -rounded(chosen.mean().T)])
        best = np.lexsort((ranks.mean(0), ranks.max(0)))[: self.number]
        return [scores.runs[place] for place in sorted(best)]

    def __str__(self) -> str:
        return f"top:{self.number}" + (f":{self.measure}" if self.measure else "")


@dataclass(frozen=True)
class Named:
    """Topics or runs by name; spelled ``301,302,305``."""

    names: tuple[str, ...]

    def topics(self, judgments: JudgedPool) -> list[str]:
        """The topics, in the order of the collection; an error for an unknown name."""
        return self._known(judgments.topics, "topic")

    def runs(self, scores: RunNames) -> list[str]:
        """The runs, in the order of the scores; a name may lack the ending of a file. An error for an unknown name."""
        return self._known(scores.runs, "run")

    def _known(self, known: Sequence[str], what: str) -> list[str]:
        there, named = set(known), set(self.names)
        for name in self.names:
            if what == "topic" and name not in there and (first := name.split(" ")[0]) in there:
                named.add(first)  # a file of topics may say more behind their names
            elif what == "run" and name not in there and (found := find_run(name, known)) is not None:
                named.add(found)
            elif name not in there:
                forms = f"; a selection is {FORMS[what]}" if ":" in name else ""
                forms = forms or _about_commas(name, known, what)
                there_are = f"{nearest(name, known)}; the {what}s are {list_some(known)}"
                raise InputError(f"no {what} {name!r}{forms or there_are}")
        return [name for name in known if name in named]

    def __str__(self) -> str:
        return ",".join(self.names)


def _about_commas(name: str, known: Sequence[str], what: str) -> str:
    """What to do where commas within a name have split it; else an empty text."""
    whole = next((one for one in known if "," in one and name in map(str.strip, one.split(","))), None)
    if whole is None:
        return ""
    return f"; {what} {whole!r} has a comma: list {what}s in a file, a name each line, or in Python as a list"


TopicSelection: TypeAlias = All | Few | AtLeast | Named
RunSelection: TypeAlias = All | AboveFirstQuartile | Top | Named


FORMS = {
    "topic": "few:GRADE as in few:2, atleast:NUMBER:GRADE as in atleast:5:2, all, or topics as in 301,302",
    "run": "above-q1:MEASURE as in above-q1:AP, top:NUMBER or top:NUMBER:MEASURE as in top:15:AP, all, or names",
}
"""How selections are written."""


def split_selections(text: str) -> list[str]:
    """Several selections of topics, as in ``all,few:2``; a list of topics (``301,302``) is one selection."""
    parts = [part.strip() for part in text.split(",")]
    selections = [part for part in parts if part == "all" or part.startswith(("few:", "atleast:"))]
    if len(parts) == 1 or not selections:
        return [text]
    if len(selections) < len(parts):
        other = next(part for part in parts if part not in selections)
        raise InputError(
            plain("topics", text),
            f": {other!r} is no selection, as {selections[0]!r} is; give selections as in all,few:2, or topics",
        )
    if (twice := find_twice(parts)) is not None:
        raise InputError(plain("topics", text), f": {twice} is given twice; give each selection once")
    return parts


def parse_topics(text: str) -> TopicSelection:
    """Read ``all``, ``few:2``, ``atleast:5:2`` or a comma-separated list of topics."""
    kind, *rest = text.strip().split(":")
    accepted = FORMS["topic"]
    match kind, rest:
        case "all", []:
            return All()
        case "few", [grade]:
            return Few(_read_number(text, grade, accepted))
        case "atleast", [number, grade]:
            return AtLeast(_read_count(text, number, accepted), _read_number(text, grade, accepted))
        case (("few" | "atleast"), _):
            raise InputError(f"cannot read the topics {text!r}: write {accepted}")
    return Named(_names(text, "topics", accepted))


def parse_runs(text: str, read_measure: Callable[[str], Measure] = parse_measure) -> RunSelection:
    """Read ``all``, ``above-q1:AP``, ``top:15``, ``top:15:AP`` or a comma-separated list of runs."""
    kind, colon, rest = text.strip().partition(":")
    accepted = FORMS["run"]
    match kind:
        case "all" if not rest:
            return All()
        case "above-q1":
            return AboveFirstQuartile(read_measure(rest or "AP"))
        case "top" if colon:
            number, _, measure = rest.partition(":")
            return Top(_read_count(text, number, accepted), read_measure(measure) if measure else None)
    return Named(_names(text, "runs", accepted))


def _level(grade: float, levels: Levels, first: int) -> int:
    if grade not in levels[first:]:
        here = f"the collection has the grades {show_levels(levels)}"
        able = (
            f"this takes {show_levels(levels[first:])}" if levels[first:] else "none is above the lowest positive one"
        )
        raise OtherLevels(f"{here}; {able}")
    return levels.index(grade)


def _select(names: Sequence[str], chosen: Array, what: str) -> list[str]:
    if not chosen.any():
        kind = TooFewTopics if what == "topic" else InputError
        raise kind(f"selects none of the {len(names)} {what}s")
    return list(compress(names, chosen))


def _read_number(text: str, part: str, accepted: str) -> float:
    try:
        return float(part)
    except ValueError:
        raise InputError(f"cannot read {part!r} in {text!r}: write {accepted}") from None


def _read_count(text: str, part: str, accepted: str) -> int:
    if not part.isdecimal() or int(part) < 1:
        raise InputError(f"{part!r} in {text!r} is not a number from 1: write {accepted}")
    return int(part)


def _names(text: str, what: str, accepted: str) -> tuple[str, ...]:
    names = tuple(split_names(text))
    if not names:
        raise InputError(f"no {what} are named in {text!r}: write {accepted}")
    return names


TopicChoice: TypeAlias = str | int | Sequence[str | int] | None
"""Topics by name, or a selection as in "few:2"; None: all."""
RunChoice: TypeAlias = str | int | Sequence[str | int] | RunSelection | None
"""Runs by name, or a selection as in "top:15:AP"; None: all."""


class _Pools(NamedTuple):
    topics: list[str]
    pool: Array
    levels: Levels


def pool_of(qrels: Qrels, negative: Negative = "nonrelevant") -> JudgedPool:
    """What selections of topics look at, of judgments."""
    return _Pools(qrels.topics, qrels.grading(negative).pools.pool, qrels.levels)


def count_relevant(judgments: JudgedPool) -> dict[str, int]:
    """How many relevant documents each topic has: positive grades."""
    numbers: list[int] = judgments.pool[:, 1:].sum(-1).tolist()
    return dict(zip(judgments.topics, numbers, strict=True))


def run_selection(runs: RunChoice, read_measure: Callable[[str], Measure] = parse_measure) -> RunSelection:
    """The selection that a choice of runs stands for; ``read_measure``: how the measure in it is read."""
    if isinstance(runs, All | AboveFirstQuartile | Top | Named):
        return runs
    with naming("runs", runs):
        if isinstance(runs, str):
            return parse_runs(runs, read_measure)
        return All() if runs is None else Named(_as_names(runs))


def _as_names(given: object) -> tuple[str, ...]:
    """Names in a list or an array; whole numbers are names, too, as they are ids everywhere."""
    listed: list[Any] = list(given) if isinstance(given, Iterable) else [given]
    for one in listed:
        if isinstance(one, bool) or not isinstance(one, str | Integral):
            raise InputError(f"{shown(one)} is no name; names are text or whole numbers")
    return tuple(map(str, listed))


def _refuse_file(topics: object) -> None:
    """An InputError where topics are the file that lists them, which commands read before."""
    alone = topics[0] if isinstance(topics, list | tuple) and len(topics) == 1 else topics
    if isinstance(alone, str | os.PathLike):
        place = os.fspath(alone)
        if (isinstance(alone, os.PathLike) or os.path.splitext(place)[1]) and os.path.isfile(place):
            raise InputError(f"is a file; give the names in it, as open({place!r}).read().splitlines() has them")


def topic_selection(topics: TopicChoice) -> TopicSelection:
    """The selection that a choice of topics stands for."""
    with naming("topics", topics):
        _refuse_file(topics)
        if isinstance(topics, str):
            return parse_topics(topics)
        return All() if topics is None else Named(_as_names(topics))


def chosen_by(runs: RunChoice) -> list[Measure]:
    """The measure by which runs are chosen, if there is one."""
    selection = run_selection(runs)
    by = selection.measure if isinstance(selection, AboveFirstQuartile | Top) else None
    return [] if by is None else [by]


def choose(
    scores: Scores, measures: Sequence[Measure], topics: TopicChoice, runs: RunChoice, judgments: JudgedPool | None
) -> tuple[Scores, list[Note]]:
    """Choose measures, topics and runs, and say which; ``scores`` also have the measure by which runs are chosen.

    ``judgments``: what selections of topics look at; None where there are only scores.
    """
    scores, notes = _with_means_of_all(scores, measures, runs) if scores.unit == "means" else (scores, [])
    studied = scores.sel(measures=list(measures))
    if runs is not None:
        of_runs = run_selection(runs)
        pool = studied if isinstance(of_runs, Top) and of_runs.measure is None else scores
        with naming("runs", of_runs):
            names = of_runs.runs(pool)
        notes.append(about_runs(of_runs, names, len(scores.runs)))
        studied = studied.sel(runs=names)
    if topics is not None:
        of_topics = topic_selection(topics)
        if judgments is None and isinstance(of_topics, Few | AtLeast):
            raise InputError(plain("topics", of_topics), ": looks at judgments, and scores have none; name the topics")
        by_name = _Pools(scores.topics, np.zeros((0, 1), np.int64), ())
        names, note = select_topics(of_topics, by_name if judgments is None else judgments, scores.unit)
        notes.append(note)
        studied = studied.sel(topics=names)
    if studied.missing == "common":
        topics_left, more = keep_common(studied.topics, studied.present, studied.runs, studied.unit)
        studied = replace(studied.sel(topics=topics_left), missing="zero")  # none is missing now
        notes += more
    elif studied.unit == "tasks" and studied.missing == "zero" and not studied.shared.all():
        studied, note = _with_values_of_all(studied)
        notes.append(note)
    return studied, notes


def keep_common(
    topics: Sequence[str], present: Array, runs: Sequence[str], unit: Unit = "topics"
) -> tuple[list[str], list[Note]]:
    """The topics that all runs have, by present[run, topic], and a warning of those that are left out."""
    shared: Array = np.asarray(present.all(0))
    kept, left = (list(compress(topics, chosen)) for chosen in (shared, ~shared))
    if not left:
        return kept, []
    lacking = (~present).sum(1).tolist()
    if not kept:
        most = runs[int(np.argmax(lacking))]
        raise TooFewTopics(
            Given("missing", "common"), f": no {ONE[unit]} is in all {len(runs)} runs; leave out {most} or others"
        )
    by_run = list_some([f"{run} lacks {number}" for run, number in zip(runs, lacking, strict=True) if number])
    said = (
        f"{unit}: {len(kept)} of {len(topics)} count, as {by_run} ({list_some(left, NAMED)}); leaving hard {unit} out "
        "favours the runs that lack them"
    )
    return kept, [Note(said, CoverageWarning, own_weight=NoteWeight.COVERAGE)]


def _with_values_of_all(scores: Scores) -> tuple[Scores, Note]:
    """The scores without the tasks that some run has no value of, and which these are."""
    kept, left = (list(compress(scores.topics, chosen)) for chosen in (scores.shared, ~scores.shared))
    if not kept:
        lacking = scores.runs[int(scores.present.sum(1).argmin())]
        raise InputError(f"no task has a value of all {len(scores.runs)} runs; leave out {lacking} or others")
    runs = plural(len(scores.runs), "run")
    said = f"tasks: {len(kept)} of {len(scores.topics)}; left out, as not all {runs} have a value: {list_some(left)}"
    return scores.sel(topics=kept), Note(said, own_weight=NoteWeight.MEANING)


def _with_means_of_all(scores: Scores, measures: Sequence[Measure], runs: RunChoice) -> tuple[Scores, list[Note]]:
    """Means of the runs that have one by every chosen measure; runs that are chosen by name must have them."""
    needed = list(dict.fromkeys([*measures, *chosen_by(runs)]))
    there = np.isfinite(scores.sel(measures=needed).values[:, 0])
    lacking = {
        run: [str(one) for one, is_there in zip(needed, own, strict=True) if not is_there]
        for run, own in zip(scores.runs, there.tolist(), strict=True)
    }
    selection = run_selection(runs)
    if isinstance(selection, Named):
        with naming("runs", selection):
            named = selection.runs(scores)
        for run in named:
            if lacking[run]:
                raise InputError(f"run {run!r} has no mean of {lacking[run][0]}; add it, or leave out that run")
        return scores, []
    kept, left = ([run for run in scores.runs if bool(lacking[run]) == lacks] for lacks in (False, True))
    if left and len(kept) < FEWEST_COMMON:
        example = f"{left[0]} lacks {list_some(lacking[left[0]], 3)}"
        raise InputError(
            f"of {plural(len(scores.runs), 'run')}, {len(kept)} have means of all measures ({example}); "
            "write the same names of runs in all files, or choose other measures"
        )
    by_run = list_some([f"{run} ({list_some(lacking[run], 3)})" for run in left])
    said = f"runs: {len(kept)} of {len(scores.runs)} count; left out, as a mean is lacking: {by_run}"
    return scores.sel(runs=kept), [Note(said, own_weight=NoteWeight.OMISSION)] if left else []


def about_runs(selection: RunSelection, names: Sequence[str], number: int) -> Note:
    """Which of so many runs a selection chooses."""
    chosen = "" if isinstance(selection, All | Named) else f": {list_some(names, LISTED)}"
    rule = ", by the worst rank among the measures" if isinstance(selection, Top) and selection.measure is None else ""
    weight = NoteWeight.METHOD if isinstance(selection, All | Named) else NoteWeight.OMISSION
    return Note(f"runs: {selection} selects {len(names)} of {number}{rule}{chosen}", own_weight=weight)


def about_tests(runs: RunChoice, kept: int, number: int) -> list[Note]:
    """That tests do not know of runs which their own scores left out."""
    if isinstance(run_selection(runs), All | Named) or kept == number:
        return []
    text = (
        f"tests are of the {plural(kept, 'selected run')} alone: optimistic, as the same scores selected them; "
        f"without a selection they are of all {number}"
    )
    return [Note(text, own_weight=NoteWeight.OMISSION)]


def select_topics(selection: TopicSelection, judgments: JudgedPool, unit: Unit = "topics") -> tuple[list[str], Note]:
    """The names of the topics that a selection chooses, and how many they are."""
    with naming("topics", selection):
        names = selection.topics(judgments)
    what = "" if isinstance(selection, Named) else f"{selection} selects "
    return names, Note.method(f"{unit}: {what}{len(names)} of {len(judgments.topics)}")
