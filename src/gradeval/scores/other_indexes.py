"""Are the documents of a run of another index than the judged ones, as after texts were cut into new chunks?

The ids of chunks are often counted or hashed, so the judgments know none of a new index's ids: its run looks bad,
whatever it found. Two facts tell it, which do not depend on how good a run is: ids have a form that neither
judgments nor the run with most judged documents have, if there is another; or each run finds documents again and again
for its topics, and they have next to none in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.formula.arithmetic import ratio
from gradeval.scores.alike_ids import DOUBTFUL_TOP, LOOKED_AT, MOST_LINES
from gradeval.scores.coverage import Coverage
from gradeval.scores.held_out import are_held_out
from gradeval.scores.scores import Scores
from gradeval.warning_categories import IdsWarning, NoteWeight, RespeltNote

MUCH_LESS = 0.05
"""How much less of a run is judged, of the judged share of the other, from which its ids are looked at."""
OF_OTHER_FORM = 0.1
"""The share of a run with ids of another form from which it is asked about."""
LACKED = 5
"""How many judged documents would have the forms of a run alone, if both were of one index, from which it is, too."""
RECURRING = 0.7
"""The share of the lines of a run whose documents it has for other topics, too, from which its lists show an index."""
GONE = 0.7
"""The share of such documents that another run of the same index would have, and has not."""
NO_MARKS: frozenset[str] = frozenset()


def about_other_indexes(scores: Scores, coverage: Coverage, qrels: Qrels, runs: Sequence[Run]) -> Iterator[RespeltNote]:
    """Whether the run with fewest judged documents is of another index than the run with most; it decides nothing where
    this may make half of what it lacks, and judged documents alone do not tell. One run, or runs with as many judged
    documents, may be of another index than the judgments."""
    sizes = coverage.retrieved.sum(-1)
    shares = ratio(coverage.judged.sum(-1), sizes)
    least, most = int(shares.argmin()), int(shares.argmax())
    lacking = 1 - shares[least] / shares[most] if shares[most] else 0.0
    alone = lacking < MUCH_LESS
    doubtful = not alone or coverage.unjudged_top_share[least] >= DOUBTFUL_TOP
    if not (shares[least] and doubtful) or max(sizes[least], sizes[most], len(qrels)) > MOST_LINES:
        return
    own, others = (
        [[*runs[place].of(topic)] for topic, there in zip(scores.topics, scores.present[place], strict=True) if there]
        for place in (least, most)
    )
    judged = [qrels.of(topic) for topic in scores.topics if topic in qrels.place_of_topic]
    example, strange = _of_other_form(own, chain(*([] if alone else others), *judged))
    share = len(strange) / int(sizes[least])
    if share >= OF_OTHER_FORM and not (alone and share * len({*chain(*judged)}) < LACKED):
        said = f"{share:.1%} of its ids have another form, as {strange[0]!r} here and {example!r} there"
    elif not alone and (share := _share_gone(own, others)) >= GONE:
        there = {*chain(*others)}
        strange = [one for one in chain(*own) if one not in there]
        said = f"next to no documents are in both runs, as {strange[0]!r} here and {others[0][0]!r} there"
    else:
        return
    name = scores.runs[least]
    index = "the judgments" if alone else f"in {scores.runs[most]}"
    asked = f"are its documents of the same index as {index}? {said}; if not, judge them first"
    held_out = are_held_out(qrels.grading().pools.pool, coverage.unjudged_top_share[[least, most]])
    enough = lacking / 2 if held_out else GONE  # where none is, the verdict says what is left of a loss
    doubted = () if alone or share < enough else ((name, asked),)
    yield RespeltNote(f"{name}: {asked}", IdsWarning, own_weight=NoteWeight.OMISSION, doubted=doubted)


def _of_other_form(own: Sequence[Sequence[str]], others: Iterable[str]) -> tuple[str, list[str]]:
    """An id of the others, and the lines of ``own`` whose ids have a form that no other id has."""
    forms = {one: _form_of(one) for one in {*chain(*own)}}
    unseen, example = {*forms.values()}, ""
    for one in others:
        example = example or one
        unseen.discard(_form_of(one))
        if not unseen:  # nearly always at one of the first ids
            return example, []
    return example, [one for one in chain(*own) if forms[one] in unseen]


def _form_of(one: str) -> tuple[frozenset[str], bool, bool]:
    """Which signs an id has, and has it letters and digits?"""
    marks = NO_MARKS if one.isalnum() else frozenset(sign for sign in one if not sign.isalnum())
    return marks, any(map(str.isalpha, one)), any(map(str.isdigit, one))


def _share_gone(own: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> float:
    """The share of the documents that both runs would have in common if they were of one index, and have not; 0 where
    their lists do not show it."""
    recurring = [_share_recurring(lists) for lists in (own, others)]
    if min(len(own), len(others)) < LOOKED_AT or min(recurring) < RECURRING:
        return 0.0
    shares = [
        sum(one in known for one in chain(*lists)) / sum(map(len, lists))
        for lists, known in ((own, {*chain(*others)}), (others, {*chain(*own)}))
    ]
    return 1 - max(shares[0] / recurring[1], shares[1] / recurring[0])


def _share_recurring(lists: Sequence[Sequence[str]]) -> float:
    """The share of lines whose document other topics have, too."""
    counts = Counter(chain(*lists))
    return sum(number for number in counts.values() if number > 1) / sum(counts.values())
