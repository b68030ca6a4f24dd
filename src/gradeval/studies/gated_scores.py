"""BEFORE and AFTER of a gate: runs, scores or reports become scores of two runs on the same topics."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import SHARED, Ties, meet, ranked
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import RepeatedBoth, Run, drop_endings, find_run, name_file
from gradeval.files.accepted import as_runs
from gradeval.files.source import Source
from gradeval.formula.arithmetic import ratio
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.messages import Given, join_names, kind_of, list_some, plural
from gradeval.scores.alike_ids import about_alike
from gradeval.scores.as_often import add_as_often, sees_unjudged
from gradeval.scores.earlier import read_earlier
from gradeval.scores.evaluation import choose_input, evaluate_part, require_common_topic
from gradeval.scores.joining import join_as_often, join_judging
from gradeval.scores.mistakes import show_documents
from gradeval.scores.notes import about_scores, about_trainings
from gradeval.scores.presets import PresetName, configure_measures
from gradeval.scores.score_files import holds_scores, open_scores
from gradeval.scores.scores import Empty, Scores
from gradeval.scores.selection import TopicChoice, choose
from gradeval.studies.changes import are_judged_alike, differences_beyond_rounding
from gradeval.studies.decision import decides
from gradeval.studies.significance import MEASURES
from gradeval.studies.study import Measures
from gradeval.studies.unequal_judging import about_scores_alone, judged_unequally
from gradeval.studies.unjudged_runs import RespeltRun, UndecidedRun, find_unjudged_runs, say_unjudged
from gradeval.warning_categories import CollectionWarning, CoverageWarning, Note, NoteWeight, ask_of_respelt_runs

BEFORE, AFTER = "before", "after"
"""What both runs are called, whatever their files call them: they often have one name."""


class GatedRun(NamedTuple):
    """BEFORE or AFTER: a run, or the scores of one, and its name; ``among``: all runs of that side."""

    name: str
    run: Run | None
    scores: Scores | None
    among: Sequence[str] = ()


class GatedScores(NamedTuple):
    """Scores of two runs, BEFORE and AFTER, on the same topics; and what to say of them.

    ``unjudged``: by measure the share of unjudged documents of both, where AFTER has more.
    """

    scores: Scores
    notes: list[Note]
    unjudged: dict[str, tuple[float, float]]


def arrange(data: Sequence[Any], measures: Measures | None) -> tuple[Any, list[Any], Measures | None]:
    """Judgments or None; BEFORE and AFTER, runs or ``Scores``; and the measures."""
    given = [*data]
    for one in given[:3]:
        refuse_verdict(one)
    scored = [is_scored(one) for one in given[:3]]
    both = len(given) > 1 and all(scored[:2])
    if len(given) == (3 if both else 4) and measures is None:
        measures = given.pop()
    if len(given) not in (2, 3) or (len(given) == 2) != both:
        raise InputError(
            "gate takes judgments and two runs, as in gate(qrels, before, after, 'nDCG@10'), or two scores; "
            f"got {', '.join(map(kind_of, data)) or 'nothing'}"
        )
    if len(given) == 3 and all(scored[1:]):
        raise InputError("gate takes judgments for runs, and both are scores; leave the judgments out")
    opened = [_open_scores(one) if is_ready else one for one, is_ready in zip(given, scored, strict=False)]
    return (None, opened, measures) if both else (given[0], opened[1:], measures)


def refuse_verdict(given: Any) -> None:
    """Refuse what an earlier gate wrote: a verdict has no values by topic."""
    if not isinstance(given, str | PathLike) or not os.path.isfile(given):
        return
    beginning = Source(given).beginning[:1000]
    if b"gradeval gate" in beginning or (b"fail_if" in beginning and b"verdict" in beginning):
        raise InputError(
            f"{os.fspath(given)}: is a verdict of gate, which has no values by topic; "
            "keep the scores, too: gradeval evaluate -q -o before.parquet"
        )


def is_page(place: str) -> bool:
    """Has it the name of a report?"""
    return place.lower().endswith((".html", ".htm"))


def is_scored(given: Any) -> bool:
    """Is it scores, or a file of them?"""
    if isinstance(given, str | PathLike):
        place = os.fspath(given)
        return is_page(place) or holds_scores(place)
    return isinstance(given, Scores)


def _open_scores(given: Any) -> Scores:
    """Scores, as they are or from a file."""
    if isinstance(given, Scores):
        return given
    place = os.fspath(given)
    return read_earlier(place) if is_page(place) else open_scores(place)


def _list_runs(given: Any, repeated: RepeatedBoth) -> list[GatedRun]:
    """The runs of BEFORE or AFTER, ranked or as scores."""
    if isinstance(given, Scores):
        return [GatedRun(name, None, given.sel(runs=[name]), given.runs) for name in given.runs]
    runs = as_runs(given, repeated)
    return [GatedRun(run.name, run, None, [run.name for run in runs]) for run in runs]


def choose_runs(both: Sequence[Any], run: str | None, repeated: RepeatedBoth) -> list[GatedRun]:
    """One run of each side: the only run, the named run, or in BEFORE the run with the name of AFTER; a name of each,
    as in ``bm25,dense``, names BEFORE and AFTER."""
    before, after = (_list_runs(one, repeated) for one in both)
    known = [side.name for side in (*before, *after)]
    first, comma, second = (run or "").partition(",")
    pair = (first.strip(), second.strip()) if comma and find_run(run or "", known) is None else None
    if pair is not None:
        like = f"{before[0].name},{after[-1].name}"
        return _tell_apart([_choose(before, BEFORE, pair[0], like), _choose(after, AFTER, pair[1], like)])
    if run is not None and (run := find_run(asked := run, sorted({*known}))) is None:
        raise InputError(
            Given("run", asked), f": no run is called so; there are {list_some(list(dict.fromkeys(known)))}"
        )
    if run is None and len(before) > 1 and _are_of_one_file(before, after):
        names = [side.name for side in before]
        choice = f"{names[0]},{names[1]}"
        raise InputError(
            f"before and after are one file of {len(names)} runs ({list_some(names)}); name the one before and the one "
            "after, as in ",
            Given("run", choice, choice),
        )
    chosen = _choose(after, AFTER, run)
    there = {side.name for side in before}
    return _tell_apart([_choose(before, BEFORE, run if run in there else chosen.name), chosen])


def _choose(sides: list[GatedRun], which: str, wanted: str | None, like: str = "") -> GatedRun:
    """The run of one side that is called so, or its only one; ``like``: a choice to show."""
    called = None if wanted is None else find_run(wanted, [side.name for side in sides])
    matching = sides if len(sides) == 1 else [side for side in sides if side.name == called]
    if not matching:
        raise InputError(
            f"{which} has {plural(len(sides), 'run')} ({list_some([side.name for side in sides])})"
            + (f", none of them called {wanted!r}" if wanted else "")
            + "; choose one, as in ",
            Given("run", like or sides[0].name, like or sides[0].name),
        )
    return matching[0]


def _are_of_one_file(before: Sequence[GatedRun], after: Sequence[GatedRun]) -> bool:
    """Are these the runs of the same file?"""
    places = [[(one.run.place, one.run.name) for one in side if one.run is not None] for side in (before, after)]
    return places[0] == places[1] and all(os.path.exists(place) for place, _ in places[0]) and bool(places[0])


def are_same(sides: Sequence[GatedRun]) -> bool:
    """Is AFTER the same run of the same file as BEFORE?"""
    return _are_of_one_file(sides[:1], sides[1:])


def about_choice(sides: Sequence[GatedRun], run: str | None, given: Any) -> Iterator[Note]:
    """Which of several runs BEFORE is, where nobody named it; the name of AFTER chose it. ``given``: as BEFORE was."""
    before = sides[0]
    if run is None and len(before.among) > 1:
        where = f"{os.path.basename(given)}, which has " if isinstance(given, str | PathLike) else ""
        said = f"before is {before.name} of {where}{list_some(before.among)}, as after has this name"
        yield Note(f"{said}; choose another by run", own_weight=NoteWeight.OMISSION)


def _tell_apart(sides: list[GatedRun]) -> list[GatedRun]:
    """Both sides, called by their whole files where these differ and the names without endings do not."""
    files = [name_file(side.run.place) for side in sides if side.run is not None]
    if len(set(files)) < len(sides) or any(file.short != side.name for side, file in zip(sides, files, strict=True)):
        return sides
    called = drop_endings(files)
    return [side._replace(name=name) for side, name in zip(sides, called, strict=True)]


def score_runs(
    qrels: Qrels,
    sides: Sequence[GatedRun],
    measures: Measures | None,
    topics: TopicChoice,
    preset: PresetName | None,
    empty: Empty | None,
    how: dict[str, Any],
) -> GatedScores:
    """Score the runs among the sides, and put them with the scores of the other."""
    named = dict(zip((BEFORE, AFTER), sides, strict=True))
    ready = {name: one.scores for name, one in named.items() if one.scores is not None}
    runs = [replace(one.run, name=name) for name, one in named.items() if one.run is not None]
    policy: Empty = "zero"
    for earlier in ready.values():
        policy = earlier.empty
    policy = policy if empty is None else empty
    known = [str(measure) for one in ready.values() for measure in one.measures]
    wanted = (known or MEASURES) if measures is None else measures
    parsed, notes = configure_measures(preset, wanted, how | {"empty": policy})
    shares_by = {str(one): _unjudged(one) for one in parsed} if not ready else {}
    settings = {name: value for name, value in how.items() if name != "depth"}
    chosen, runs, more = choose_input(qrels, runs, topics, None, preset, measures=parsed, empty=policy, **how)
    part = {"topics": None if topics is None else chosen.topics, "empty": policy, **settings, "depth": how["depth"]}
    extra = dict.fromkeys([*filter(None, shares_by.values()), parse_measure("Judged")])
    whole, unjudged = evaluate_part(qrels, runs, [*parsed, *extra], **part)
    _require_answers(whole, runs, unjudged, chosen)
    notes += more
    scores = whole.sel(measures=parsed)

    def with_as_often() -> Scores:
        judged = meet(qrels.select(scores.topics), runs, ties=how["ties"], negative=how["negative"])
        return add_as_often(scores, judged if how["depth"] is None else judged.top(how["depth"]))

    if ready:
        notes += (told := about_scores(scores, (qrels, runs)))
        _require_ids_of_judgments(runs, told)
        [(name, earlier)] = ready.items()
        kept = set(chosen.topics)
        left = [topic for topic in earlier.topics if topic not in kept]
        if left and topics is None:
            said = f"{plural(len(left), 'topic')} without judgments ({list_some(left)}) ignored"
            notes.append(Note(said, CoverageWarning, name))
        try:
            earlier = earlier.sel(topics=[topic for topic in earlier.topics if topic in kept], measures=parsed)
        except InputError as error:
            raise error.within(name) from None
        scores = with_as_often()
        both = [earlier, scores] if name == BEFORE else [scores, earlier]
        return _put_together(both, chosen.topics, policy, notes, [name])
    more_unjudged = _find_more_unjudged(whole, shares_by, how["depth"])
    notes += (told := about_scores(scores, (qrels, runs), unjudged=not more_unjudged))
    _require_ids_of_judgments(runs, told)
    scores = with_as_often() if more_unjudged or judged_unequally(scores) else scores
    for one in find_unjudged_runs(scores):
        place = runs[scores.runs.index(one)].place
        raise InputError(f"{one}: {say_unjudged([type(one)(place or one)])}")
    return GatedScores(scores, notes, more_unjudged)


def keep_deciding(pair: GatedScores) -> GatedScores:
    """The measures of which more is better; notes show the others. An InputError where there are none."""
    measures = pair.scores.measures
    kept = decides(measures)
    if not kept:
        raise InputError(f"{measures[0]}: a higher value is no better; choose measures that reward good runs")
    shown = []
    for place, (before, after) in enumerate(pair.scores.mean().T.tolist()):
        if place not in kept:
            means = f"{before:.4f} before, {after:.4f} after"
            shown.append(Note(f"{measures[place]}: {means}; it decides nothing, as more is no better"))
    return pair._replace(scores=pair.scores.sel(measures=[measures[place] for place in kept]), notes=pair.notes + shown)


def _require_answers(scores: Scores, runs: Sequence[Run], unjudged: Sequence[Sequence[str]], qrels: Qrels) -> None:
    """An InputError where a run returns nothing, nothing for topics with judgments, or nothing that is judged."""
    judged = scores.measures.index(parse_measure("Judged"))
    for place, (run, others) in enumerate(zip(runs, unjudged, strict=True)):
        if not scores.present[place].any() and not others:
            raise InputError(f"{run.name}: {run.place or run.name} holds no document; did it run?")
        try:
            require_common_topic(qrels, scores.present[[place]], [others], [run])
        except InputError as error:
            raise error.within(run.name) from None
        if not scores.values[place, :, judged].any():
            topic = scores.topics[int(np.argmax(scores.present[place]))]
            alike = about_alike("document", run.of(topic), qrels.of(topic), f" (topic {topic})")
            asked = f"are its ids written as in the judgments{show_documents(run, qrels, topic)}?"
            raise InputError(f"{run.name}: {say_unjudged([UndecidedRun(run.place or run.name)], next(alike, asked))}")


def _require_ids_of_judgments(runs: Sequence[Run], notes: Sequence[Note]) -> None:
    """An InputError where most judged documents of a run seem to have other ids: its values are not what it found."""
    asked = ask_of_respelt_runs(notes)
    for run in runs:
        if run.name in asked:
            raise InputError(f"{run.name}: {say_unjudged([RespeltRun(run.place or run.name)], asked[run.name])}")


def _find_more_unjudged(
    scores: Scores, shares_by: Mapping[str, Measure | None], depth: int | None
) -> dict[str, tuple[float, float]]:
    """Of which measures does the second run show more unjudged documents? Both shares, by the measure's name.

    They are shares of the documents that a run returned, as in all notes on unjudged documents: not means of topics.
    """
    more = {}
    assert scores.coverage is not None  # these were just computed
    for name, measure in shares_by.items():
        if measure is not None:
            shown = np.minimum(scores.coverage.retrieved, depth or np.inf)
            shown = np.minimum(shown, measure.cutoff or np.inf)
            ranks = shown if measure.cutoff is None else measure.cutoff  # by which the measure divides
            unjudged = (scores.of(measure) * ranks).sum(-1)
            first, second = ratio(unjudged, shown.sum(-1)).tolist()
            if second > first:
                more[name] = (first, second)
    return more


def _unjudged(measure: Measure) -> Measure | None:
    """The share of unjudged documents that a measure sees; None where it does not matter to it."""
    if not sees_unjudged(measure):
        return None
    return parse_measure("Unjudged" if measure.cutoff is None else f"Unjudged@{measure.cutoff}")


def pair_scores(
    sides: Sequence[GatedRun], measures: Measures | None, topics: TopicChoice, empty: Empty | None
) -> GatedScores:
    """Put ready scores side by side, on the topics of both."""
    both = [side.scores for side in sides if side.scores is not None]
    before, after = both
    if empty is None and before.empty != after.empty:
        raise InputError(
            f"before counts empty topics by {before.empty}, after by {after.empty}; ",
            Given("empty", before.empty),
            " counts them alike",
        )
    known = {str(measure) for measure in after.measures}
    shared = [measure for measure in before.measures if str(measure) in known]
    if measures is None and not shared:
        raise InputError(
            f"before and after have no measure in common: {list_some(list(map(str, before.measures)))} there, "
            f"{list_some(list(map(str, after.measures)))} here"
        )
    chosen = before.sel(measures=shared if measures is None else measures).measures
    both = [before.sel(measures=chosen), after.sel(measures=list(map(str, chosen)))]
    every = list(dict.fromkeys([*before.topics, *after.topics]))
    trained = list(dict.fromkeys(note for one in both for note in about_trainings(one, "gate")))
    pair = _put_together(both, every, empty or before.empty, trained, [BEFORE, AFTER])
    scores, notes = choose(pair.scores, pair.scores.measures, topics, None, None)
    return pair._replace(scores=scores, notes=[*notes, *pair.notes])


def _put_together(
    both: Sequence[Scores], topics: list[str], empty: Empty, notes: list[Note], ready: Sequence[str]
) -> GatedScores:
    """Both scores on these topics, and what to say of those that were ready; topics that a run lacks count 0."""
    for name, one in zip((BEFORE, AFTER), both, strict=True):
        if unjudged := find_unjudged_runs(one):
            raise InputError(f"{name}: {say_unjudged(unjudged)}")
    spread = [_spread(one, topics) for one in both]
    before, after = spread
    scores = replace(
        before,
        values=np.concatenate([before.values, after.values]),
        present=np.concatenate([before.present, after.present]),
        vacant=before.vacant | after.vacant,
        runs=[BEFORE, AFTER],
        missing="zero",
        empty=empty,
        coverage=None,
        saved_judging=join_judging(spread, 0),
        as_often=join_as_often(spread, 0),
        errors=None,
        residuals=None,
        notes=[],
    )
    notes = [*notes]
    for name, one, whole in zip((BEFORE, AFTER), spread, both, strict=True):
        if name not in ready:
            continue
        other = both[name == BEFORE].notes if len(ready) > 1 else notes
        notes += [note if note in other else note.within(name) for note in whole.notes]
        told = () if whole.coverage is None else whole.topics  # what a run lacks of these, its own notes say
        absent = [topic for topic, there in zip(topics, one.present[0].tolist(), strict=True) if not there]
        lacking = [topic for topic in absent if topic not in told]
        if lacking and scores.unit == "topics":
            said = f"has nothing for {len(lacking)} of {len(topics)} topics ({list_some(lacking)}); they count 0"
            notes.append(Note(said, CoverageWarning, name))
    if after.collection is not None and before.collection is not None and not are_judged_alike(after, before):
        raise InputError(
            f"before was scored {before.collection.tell_apart(after.collection, 'after')}; "
            "score both runs again by the same: gradeval gate QRELS BEFORE AFTER"
        )
    silent = [name for name, one in zip((BEFORE, AFTER), both, strict=True) if one.collection is None]
    if silent and scores.unit == "topics":
        said = (
            f"the scores of {join_names(silent)} do not say which judgments made them; score both by the same, "
            "and save scores as .parquet, which says it"
        )
        notes.append(Note(said, CollectionWarning if len(silent) == 1 else None))
    if scores.as_often is None:
        notes += about_scores_alone(replace(scores, runs=[BEFORE.upper(), AFTER.upper()]), "gate")
    if scores.judging is None:
        notes.append(Note("how many documents are unjudged is not compared, as scores do not say it"))
    return GatedScores(scores, notes, {})


def _spread(scores: Scores, topics: Sequence[str]) -> Scores:
    """The scores on these topics in their order; topics that they lack are missing, with 0."""
    place = {topic: at for at, topic in enumerate(topics)}
    at = [place[topic] for topic in scores.topics]
    values = np.zeros((1, len(topics), len(scores.measures)))
    present, vacant = np.zeros((1, len(topics)), bool), np.zeros(values.shape[1:], bool)
    values[:, at], present[:, at], vacant[at] = scores.values, scores.present, scores.vacant
    often = None if scores.as_often is None else np.zeros(values.shape)
    if often is not None:
        often[:, at] = scores.as_often
    judging = scores.judging and scores.judging.spread(at, len(topics))
    known: dict[str, Any] = {"as_often": often, "coverage": None, "saved_judging": judging}
    return replace(scores, values=values, present=present, vacant=vacant, topics=list(topics), **known)


def require_same_topics(sides: Sequence[GatedRun], pair: Scores) -> None:
    """An InputError where a side says nothing of a topic: what its run does there is not known, and must not count 0.

    A run may answer a topic with nothing; one that answers fewer than half of AFTER's topics was cut.
    """
    for place, (name, side) in enumerate(zip((BEFORE, AFTER), sides, strict=True)):
        if side.scores is not None and pair.unit == "topics":
            known = frozenset(side.scores.topics)
            lacking = [topic for topic in pair.topics if topic not in known]
            least, how = 1, "has no scores"
        else:
            lacking = [*compress(pair.topics, pair.present[1] & ~pair.present[place])]
            least, how = int(pair.present[1].sum()) // 2 + 1, "returned nothing"
        if len(lacking) >= least:
            raise InputError(
                f"{name}: {how} for {len(lacking)} of {plural(len(pair.topics), 'topic')} ({list_some(lacking)}); "
                "a gate does not guess; give all topics, or choose the topics that it has: ",
                Given("topics", "FILE", "FILE"),
            )


def find_identical(scores: Scores, sides: Sequence[GatedRun], ties: Ties) -> Literal["rankings", "scores"] | None:
    """Do both rank alike, or have the same values where one is not a run?

    Files of scores may not say which topics a run misses, but hold what these count.
    """
    before, after = scores.values
    if differences_beyond_rounding(after, before).any():
        return None
    first, second = (side.run for side in sides)
    if first is None or second is None:
        return "scores"
    if (scores.present[0] != scores.present[1]).any():
        return None
    order: Ties = "docid" if ties in SHARED else ties
    for topic in compress(scores.topics, scores.present[0].tolist()):
        if ranked(first, topic, order) != ranked(second, topic, order):
            return None
    return "rankings"
