"""Which judges can be compared with the humans? The others are left out, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.arguments import find_twice
from gradeval.collection.joint_pool import (
    about_other_scale,
    count_common_topics,
    count_pairs,
    require_comparable,
    require_judgments,
)
from gradeval.collection.qrels import Negative, Qrels
from gradeval.files.accepted import Judgments, as_qrels, spell_name
from gradeval.files.other_tools import is_frame
from gradeval.messages import kind_of, list_some, nearest, plain, plural
from gradeval.scores.alike_ids import about_judge, ask_about_judge
from gradeval.scores.notes import about_reading
from gradeval.studies.machine_grades import about_negative, only_graded
from gradeval.studies.requirements import TOPICS
from gradeval.warning_categories import CoverageWarning, Note, NoteWeight

FILL_HOLES = "pandas.concat([human, judge]).drop_duplicates(['query', 'doc'])"
"""What to type to keep all grades of the humans, and a judge's grades of other documents; columns are named alike."""


class AcceptedJudges(NamedTuple):
    """The judges that can be compared, why others cannot, and what there is to say of the grades of all.

    Grades of models below 0, which stand for answers without a grade, are left out.
    """

    judges: dict[str, Qrels]
    refused: dict[str, InputError]
    notes: list[Note]


def accept_judges(
    others: Mapping[str, Judgments],
    human: Qrels,
    *,
    chosen: bool,
    second: str | None,
    negative: Negative,
    levels: Sequence[float] | None,
    with_runs: bool,
) -> AcceptedJudges:
    """Read the judges and see which can be compared with the humans.

    Parameters
    ----------
    chosen : were topics of the humans chosen? Then only these count.
    second : the judge that is a second human assessor.

    Raises
    ------
    InputError : no judge; none that can be compared; the second assessor cannot; something is wrong with the humans.
    """
    others = name_judges("judges", others)
    if not others:
        raise InputError("no judge to compare: give {name: judgments}")
    names = [*others]
    if second is not None and second not in names:
        raise InputError(
            plain("second", second), f": no such judge{nearest(str(second), names)}; the judges are {list_some(names)}"
        )
    require_judgments(human)
    human = human if levels is None else human.with_levels(levels)
    only = set(human.topics) if chosen else None
    accepted = AcceptedJudges({}, {}, [])
    below = list(about_negative(human, human.name)) if negative == "nonrelevant" else []
    for name, judgments in others.items():
        try:
            read = as_qrels(judgments, name=name)
            skipped = about_reading(read)
            read = read if only is None else read.select([topic for topic in read.topics if topic in only])
            if name != second:
                read, about = only_graded(read, name)
            else:
                about = list(about_negative(read, name)) if negative == "nonrelevant" else []
            require_comparable(name, read, human, levels, ask_about_judge)
            if with_runs and (topics := count_common_topics(read, human, negative)) < TOPICS:
                raise InputError(
                    f"only {plural(topics, 'topic')} judged by humans and judge; conclusions about runs need at least "
                    f"{TOPICS}{_ask(name, read, human)}"
                ).within(name)
            if with_runs:
                _require_same_documents(name, read, human)
        except InputError as error:
            if name == second:
                raise
            accepted.refused[name] = error
            continue
        accepted.judges[name] = read
        scale = about_other_scale(name, read, human) if levels is not None else ()
        accepted.notes.extend([*about_judge(name, read, human), *skipped, *scale])
        below += about
    refused = list(accepted.refused.values())
    if not accepted.judges:
        raise refused[0].followed_by(" (and no other judge can be compared)" if refused[1:] else "")
    accepted.notes.extend(below)
    return accepted


def _require_same_documents(name: str, judge: Qrels, human: Qrels) -> None:
    """Refuse to say of runs what a judge says that judged other documents: it sees other parts of their rankings."""
    pairs = count_pairs(judge, human)
    if pairs.are_of_other_documents:
        raise InputError(
            f"judged other documents: {pairs.judge_alone:,} that no human judged, and {pairs.both:,} of "
            f"{pairs.humans:,} that humans judged; leave the runs out to compare labels on these {pairs.both:,}. To "
            f"score runs by the humans' grades and by its grades in the holes, in pandas: {FILL_HOLES}"
            f"{_ask(name, judge, human)}"
        ).within(name)


def _ask(name: str, judge: Qrels, human: Qrels) -> str:
    """What to add to an error where ids of judge and humans look alike."""
    asked = ask_about_judge(name, judge, human)
    return f"; {asked}" if asked else ""


def about_refused(name: str, error: InputError) -> Note:
    """That a judge is left out, and why."""
    cause = type(error)(*error.args) if error.places == (name,) else error
    return Note("not used: ", CoverageWarning, name, NoteWeight.OMISSION, cause)


def name_judges(parameter: str, value: Mapping[str, Judgments]) -> dict[str, Judgments]:
    """The judges by name; refused are all but a mapping, and two of a name."""
    if not isinstance(value, Mapping):
        raise InputError(f"{parameter} are {{name: judgments}}, not {kind_of(value)}{_how_to_split(value)}")
    names = [*map(spell_name, value)]
    if (twice := find_twice(names)) is not None:
        raise InputError(f"judge {twice} is given twice, as {twice} and as {twice!r}; give it once")
    return dict(zip(names, value.values(), strict=True))


RATERS = (
    "annotator rater assessor judge judge_id judge_name annotator_id rater_id worker worker_id labeler labeller model"
).split()
"""Usual names of a column of raters, in the order in which they count."""


def _how_to_split(value: Any) -> str:
    """How a frame, or a file, becomes such a mapping."""
    if isinstance(value, str | PathLike):
        return f"; give the file a name, as in {{'llm': {fspath(value)!r}}}"
    if not is_frame(value):
        return ""
    column = next((name for name in RATERS if name in map(str, value.columns)), None)
    if column is None:
        return "; give the frame a name, as in {'llm': frame}"
    return f"; by the column of raters: dict(list(frame.groupby({column!r}))) of pandas"
