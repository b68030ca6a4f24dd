"""May this be merged? AFTER against BEFORE, each a run or its scores: is a measure worse, or shown to be no worse?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from numbers import Real
from typing import Annotated, Any, get_args

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import (
    Anything,
    InFile,
    Number,
    Threads,
    Whole,
    check_arguments,
    known_arguments,
    number,
    one_of,
    parse_number,
)
from gradeval.collection.meeting import SHARED, Ties
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.runs import RepeatedBoth
from gradeval.files.accepted import By, Excludes, GivenTexts, as_qrels, refuse_swapped
from gradeval.files.exclusions import exclude_from
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import place_of_measure, split_measures
from gradeval.messages import Given, join_names, list_some, naming, plain, plural
from gradeval.scores.notes import HELD_OUT, MUCH_UNJUDGED, warn_of
from gradeval.scores.presets import PresetName, configure_one, with_preset
from gradeval.scores.scores import ONE, Empty, Scores
from gradeval.scores.selection import TopicChoice, count_relevant, pool_of
from gradeval.scores.slices import Slices, slice_topics_if_asked
from gradeval.studies.compare_cautions import about_no_intervals
from gradeval.studies.equivalence import about_logarithms
from gradeval.studies.gate_decision import FailIf, GateDecision, decide_by_measures
from gradeval.studies.gated_losses import about_losses, find_losses
from gradeval.studies.gated_scores import (
    GatedRun,
    GatedScores,
    about_choice,
    are_same,
    arrange,
    choose_runs,
    find_identical,
    keep_deciding,
    pair_scores,
    require_same_topics,
    score_runs,
)
from gradeval.studies.gated_slices import find_slice_changes
from gradeval.studies.moved_documents import BothRankings, MovedDocument
from gradeval.studies.paired_power import CHANCE
from gradeval.studies.shown_texts import read_shown
from gradeval.studies.study import Measures
from gradeval.warning_categories import Note, NoteWeight

MARGIN = 0.02
LEAST = 2
"""Topics that both must have."""
FEW = 10
"""Topics below which a reader is told how little they show."""


@known_arguments()
@with_preset
def gate(
    *data: Any,
    measures: Measures | None = None,
    topics: Annotated[TopicChoice, Anything("SELECTION")] = None,
    by: Annotated[By, Anything("FILE|relevant|length")] = None,
    queries: Annotated[GivenTexts | None, InFile()] = None,
    preset: PresetName | None = None,
    alpha: Annotated[float, Number(above=0.0, below=0.5, metavar="LEVEL")] = 0.05,
    threads: Threads = 0,
    fail_if: FailIf = "worse",
    margin: Annotated[float | str | Mapping[str, float] | None, Anything("MARGIN")] = None,
    allow_equal: bool = False,
    run: Annotated[str | None, Anything("NAME")] = None,
    empty: Empty | None = None,
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    exclude: Annotated[Excludes, Anything("self|FILE")] = None,
    repeated: RepeatedBoth = None,
    depth: Annotated[int | None, Whole(1, unit="ranks")] = None,
    documents: Annotated[GivenTexts | None, InFile()] = None,
) -> GateDecision:
    """Decide whether AFTER may replace BEFORE: is a measure worse, or is every one shown to be no worse?

        gate(qrels, before, after, "nDCG@10 R@100").assert_passed()
        gate(scores_before, scores_after)

    BEFORE and AFTER are runs, or scores: ``Scores``, a file of them, or a page of ``report``. Topics for which a run
    returns nothing count 0; scores must be of all topics. The differences of n topics are tested as ``compare`` tests
    them by default, but one-sided: is their mean below 0?

    "worse" fails where a measure is significantly lower, by Holm's correction over the measures. "not-shown" passes
    only where the one-sided lower bound of 1 - alpha of each mean difference lies above minus the margin: the loss is
    smaller than the margin (non-inferiority; no correction, as every measure must pass).

    Rankings that are identical down to their ends fail in any case, as the experiment probably did not run; so do
    scores with equal values.

    Parameters
    ----------
    data : qrels, before, after, and the measures; or before and after, both scores.
    measures : default "AP nDCG@10", or all that both scores have.
    alpha : level of the one-sided tests, all measures together; below 0.5.
    fail_if : what fails: a significant loss, or a loss not shown to be small. worse: a measure that is significantly
        lower; not-shown: a measure that is not shown to lose less than the margin.
    margin : the loss that does not matter, for not-shown. A number, default 0.02, or one a measure, as in 'nDCG@10=.02
        R@100=.05'; choose it before you look.
    allow_equal : identical rankings pass.
    run : the run to take where a side has several. Default: the run with the name of AFTER. 'bm25,dense' names the
        run before and the run after.
    queries : texts of topics, shown next to their ids. A file (tsv, JSONL, csv, Parquet), a folder, irds:DATASET,
        or {topic: text}.
    documents : titles and texts of documents, given as ``queries`` are. Shown are the documents that moved most between
        two runs, with their grades.
    by : slices of topics, which are shown and decide nothing. Labels in a csv, tsv or Parquet file, a frame, {topic:
        label}, a function of a topic; relevant or length: thirds by relevant documents, or by words of ``queries``.
    empty : topics that hold nothing relevant count 0, are left out, or count 1; default zero, or as the scores have it.
    topics, preset, ties, negative, exclude, repeated, depth, threads : as of ``evaluate``.

    Raises
    ------
    InputError : an empty run, scores of fewer topics, a BEFORE that misses most of them, fewer than 2 topics in common,
        several runs of which none is chosen, scores that count empty topics in different ways, no measure that is
        better when higher, ids or judgments that do not fit, a run without judged documents; for not-shown sums and
        geometric means, and a margin that is no loss.
    Source: Wellek (2010), "Testing statistical hypotheses of equivalence and noninferiority".
    """
    alpha, allow_equal, depth = check_arguments(gate, alpha=alpha, allow_equal=allow_equal, depth=depth)
    one_of("fail_if", fail_if, get_args(FailIf))
    qrels, both, measures = arrange(data, measures)
    refuse_swapped(qrels, list(both))
    sides = choose_runs(both, run, repeated)
    how = {"ties": ties, "negative": negative, "depth": depth, "threads": threads}
    judgments = None if qrels is None else exclude_from(as_qrels(qrels, repeated=repeated), exclude)
    if judgments is None:
        pair = pair_scores(sides, measures, topics, empty)
    else:
        pair = score_runs(judgments, sides, measures, topics, preset, empty, how)
    pair = keep_deciding(pair)
    _require_enough(pair.scores, fail_if)
    require_same_topics(sides, pair.scores)
    margins = _read_margins(MARGIN if margin is None else margin, pair.scores.measures, preset)
    decision = decide_by_measures(pair, margins if fail_if == "not-shown" else None, alpha)
    queries = [*queries] if isinstance(queries, Iterator) else queries  # which slices and the table read
    slices = _find_slices(by, pair.scores, judgments, sides, queries, negative)
    decision = replace(
        decision,
        rankings=_find_rankings(judgments, sides, ties, depth),
        slices=None if slices is None else find_slice_changes(pair.scores, slices, alpha),
        fail_if=fail_if,
        runs=(sides[0].name, sides[1].name),
        identical=find_identical(pair.scores, sides, ties),
        same_file=are_same(sides),
        allow_equal=allow_equal,
        regrading=() if judgments is None else judgments.regrading,
    )
    decision = find_losses(decision, pair.scores)
    asked = {"preset": preset, "depth": depth, "exclude": exclude} if qrels is None else {}
    unused = _find_unused(asked, margin is not None and fail_if == "worse")
    decision = _with_texts(decision, queries, documents)
    said = [
        *about_choice(sides, run, data[qrels is not None]),
        *(Note(text, own_weight=NoteWeight.OMISSION) for text in unused),
        *pair.notes,
        *_about(decision, pair),
        *([] if decision.slices is None else decision.slices.notes),
        *decision.notes,
    ]
    decision = replace(decision, notes=list(dict.fromkeys(said)))
    warn_of(decision.notes, stacklevel=4)  # of the caller: presets and unknown arguments stand between
    return decision


def _find_slices(
    by: By,
    scores: Scores,
    judgments: Qrels | None,
    sides: Sequence[GatedRun],
    queries: GivenTexts | None,
    negative: Negative,
) -> Slices | None:
    """The slices of the topics that both sides have, where somebody asks for some."""
    if judgments is None:
        known = list(dict.fromkeys(topic for side in sides if side.scores is not None for topic in side.scores.topics))
        return slice_topics_if_asked(by, scores.topics, None, queries, known=known)
    relevant = count_relevant(pool_of(judgments, negative))
    return slice_topics_if_asked(by, scores.topics, relevant, queries, known=judgments.topics)


def _find_rankings(
    judgments: Qrels | None, sides: Sequence[GatedRun], ties: Ties, depth: int | None
) -> BothRankings | None:
    """The rankings of both sides; None where one of them is scores."""
    before, after = (side.run for side in sides)
    if judgments is None or before is None or after is None:
        return None
    return BothRankings(judgments, before, after, "docid" if ties in SHARED else ties, depth)


def _find_unused(asked: Mapping[str, object], margin: bool) -> list[str]:
    """What the user gave and nothing goes by: options that say how runs are judged, where both sides are scores; and a
    margin, where the rule needs none."""
    unused = ["the margin does nothing here: only the rule not-shown goes by it"] if margin else []
    idle = [name for name, value in asked.items() if value is not None]
    if idle:
        unused.append(f"{join_names(idle)} say how runs are judged; both are scores, and they do nothing")
    return unused


def _with_texts(decision: GateDecision, queries: GivenTexts | None, documents: GivenTexts | None) -> GateDecision:
    """The decision with the texts of the topics and documents that moved."""
    asked, notes = read_shown(queries, "topic", decision.topics)
    first = [one.topic for one in decision.most_moved if one.measure == str(decision.measures[0])]
    moved: list[MovedDocument] = []
    if documents is not None and decision.rankings is not None:
        moved = decision.rankings.find_moved(first)
    elif documents is not None:
        notes.append(Note("documents are shown where before and after are runs, and here one of them is scores"))
    told, more = read_shown(documents, "document", list(dict.fromkeys(one.document for one in moved)))
    return replace(decision, queries=asked, moved_documents=moved, documents=told, notes=[*notes, *more])


def _require_enough(scores: Scores, fail_if: FailIf) -> None:
    """Refuse too few topics, and measures that cannot decide."""
    both = int(scores.present.all(0).sum())
    if both < LEAST:
        raise InputError(
            f"before and after have {plural(both, ONE[scores.unit])} in common; "
            f"at least {LEAST} are needed: did both run?"
        )
    for place, measure in enumerate(scores.measures):
        aggregate = measure.definition.aggregate
        if fail_if == "not-shown" and aggregate != "mean":
            kind = "a sum over topics" if aggregate == "sum" else "a geometric mean"
            raise InputError(f"{measure}: is {kind}, which has no margin; leave it out for ", Given("fail_if", fail_if))
        if scores.vacant[:, place].all():
            raise InputError(f"{measure}: no {ONE[scores.unit]} holds anything to be found; are these the judgments?")
        if scores.counted[:, :, place].all(0).sum() < LEAST:
            raise InputError(f"{measure}: fewer than {LEAST} {scores.unit} count; choose others")


def _read_margins(
    margin: float | str | Mapping[str, float], measures: Sequence[Measure], preset: PresetName | None
) -> Array:
    """float64[measure]: the margin of each."""
    given: Any = parse_number(margin) if isinstance(margin, str) else margin
    if isinstance(given, str):
        pairs = [part.rpartition("=") for part in split_measures(given)]
        given = {name: parse_number(number) for name, sign, number in pairs if sign}
        if len(given) < len(pairs):
            raise InputError(plain("margin", margin), ": accepted: a number, or one a measure, as in 'nDCG@10=.02'")
    if not isinstance(given, Mapping):
        margins = np.full(len(measures), _read_loss("margin", given))
    else:
        margins = np.zeros(len(measures))
        for name, value in given.items():
            with naming("margin", margin):
                place = _place_of(str(name), measures, preset)
                margins[place] = _read_loss(str(name), value)
    if (margins == 0).any():
        lacking = [str(measure) for measure, value in zip(measures, margins, strict=True) if not value]
        raise InputError(plain("margin", margin), f": names none for {list_some(lacking)}; give each measure one")
    for measure, value in zip(measures, margins.tolist(), strict=True):
        if value >= 1 and "bounded" not in measure.definition.exempt:
            raise InputError(
                plain("margin", margin), f": {measure} is at most 1, so that all would pass; 0.02 is usual"
            )
    return margins


def _read_loss(name: str, given: Any) -> float:
    """A margin; a loss has no sign."""
    if isinstance(given, Real) and given < 0:
        raise InputError(Given(name, given), f" is below 0; write the loss without a sign: {-float(given):g}")
    return number(name, given, above=0.0)


def _place_of(name: str, measures: Sequence[Measure], preset: PresetName | None) -> int:
    """The place of a measure, also by its name before a preset."""
    with suppress(InputError):
        configured, _ = configure_one(preset, name)
        if configured in measures:
            return list(measures).index(configured)
    return place_of_measure(name, measures, "measure")


def _about(decision: GateDecision, pair: GatedScores) -> Iterator[Note]:
    """What may be overlooked: too few topics to pass, unjudged documents, few topics, logarithms."""
    yield from about_logarithms(decision.measures)
    yield from about_no_intervals(decision.measures, decision.bound, decision.unit)
    if pair.unjudged:
        shares = [f"{name} {after:.1%} and {before:.1%}" for name, (before, after) in pair.unjudged.items()]
        much = max(after - before for before, after in pair.unjudged.values()) >= MUCH_UNJUDGED
        without = "column 'as often' counts them relevant as often as judged ones"
        if pair.scores.as_often is None:
            without = HELD_OUT
        yield Note(
            f"unjudged documents that a measure looks at, in AFTER and in BEFORE: {list_some(shares)}; {without}",
            own_weight=NoteWeight.COVERAGE if much else None,
        )
    yield from about_losses(decision, pair.scores)
    topics = int(decision.counted.min())
    if decision.margins is not None:
        short = [
            f"{'more than one can get' if number is None else f'{number:,}'} by {measure}"
            for measure, number in zip(decision.measures, decision.needed, strict=True)
            if (number is None or number > topics) and decision.verdicts[str(measure)] != "passed"
        ]
        yield Note.method(
            f"{decision.unit} to pass: over so many an unchanged run passes with power {CHANCE:g}, by each measure "
            f"alone; to pass, the lower bound of {1 - decision.alpha:.4g} of a paired t test is above minus the margin"
        )
        if short:
            yield Note.doubt(
                f"too few {decision.unit} to show a loss below the margin: an unchanged run needs {list_some(short)}; "
                f"accepted: more {decision.unit}, a larger margin"
            )
    if topics < FEW:
        yield Note.doubt(
            f"{plural(topics, ONE[decision.unit])} show little, as each of them may decide; give {FEW} or more"
        )
