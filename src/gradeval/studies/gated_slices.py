"""What a change did on slices of the topics: a gate names those that got worse, and decides without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gradeval.messages import list_some, plural
from gradeval.scores.notes import about_slices
from gradeval.scores.scores import Scores
from gradeval.scores.slice_table import labels_in
from gradeval.scores.slices import FEWEST, Slice, Slices
from gradeval.studies.changes import differences_beyond_rounding
from gradeval.studies.decision import judge_measures
from gradeval.studies.significance import infer_means
from gradeval.tables.grid import Cell, Column, Grid, write_p
from gradeval.tables.joined_slices import label_records, name_fields
from gradeval.tables.records import Field, Records
from gradeval.tables.text import shorten
from gradeval.warning_categories import Note, NoteWeight

LETTERS = 40
"""Letters of the name of a slice in a sentence."""
MOST_UNTESTED = 10
"""Rows without a test that a table shows; of more it shows none, unless somebody asks for all rows."""


class SliceChange(NamedTuple):
    """The difference that a change made by a measure on the topics of a slice that count.

    ``lower``, ``upper``: its one-sided bounds. ``p``, ``corrected``: of the one-sided test that it is lower, before and
    after Holm's correction over all slices and measures. ``worse``: is it significantly lower? All are None where the
    slice has too few topics to be tested, the bounds also where these few all differ by the same amount, and
    ``difference`` where none counts.
    """

    column: str
    label: str
    measure: str
    topics: int
    difference: float | None
    lower: float | None = None
    upper: float | None = None
    p: float | None = None
    corrected: float | None = None
    worse: bool | None = None

    @property
    def verdict(self) -> str:
        """Whether it is worse, in the words of tables."""
        return "no test" if self.worse is None else "worse" if self.worse else "not shown worse"


@dataclass(frozen=True, eq=False)
class SliceChanges:
    """What a change did on the slices of the topics.

    Attributes
    ----------
    columns : the names of the columns of labels.
    changes : measure by measure the changes on all slices, the lowest difference first.
    alpha : the level of the tests, all of them together.
    unit : what the topics are.
    notes : slices without a test, and labels of topics that are not there.
    labels : by column the label of each topic.
    every : does the table show all rows, also where many have no test?
    """

    columns: list[str]
    changes: list[SliceChange]
    alpha: float
    unit: str
    notes: list[Note] = field(default_factory=list)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    every: bool = False

    @property
    def description(self) -> str:
        """Which slices got worse, in a sentence."""
        tested = sum(one.worse is not None for one in self.changes)
        if not tested:
            return f"slices: none is tested, as none has {FEWEST} {self.unit}"
        worse = [
            f"{shorten(f'{one.column} {one.label}', LETTERS)} by {one.measure}" for one in self.changes if one.worse
        ]
        how = f"one-sided at {self.alpha:g}" + (f", Holm over {tested} tests" if tested > 1 else "")
        said = f"slices that got worse: {list_some(worse)}" if worse else "slices: none is significantly lower"
        return f"{said} ({how})"

    def grid(self, digits: int) -> Grid:
        """A row for each slice and measure; many without a test are counted in the title instead."""
        untested = sum(one.worse is None for one in self.changes)
        hidden = untested if untested > MOST_UNTESTED and not self.every else 0
        title = f"{self.description}; {hidden} rows without a test: -v shows them, JSON has them" if hidden else ""
        signed, bounds_of = f"+.{digits}f", f"uncorrected one-sided bounds of {1 - self.alpha:.4g}"
        columns = [*(Column(title, "name") for title in ("measure", "by", "slice")), Column(self.unit, spec="d")]
        columns += [Column("difference", spec=signed), Column(bounds_of, spec=signed)]
        columns += [Column(title, "text") for title in ("p (worse)", "p (holm)", "verdict")]
        rows: list[list[Cell]] = []
        for one in self.changes:
            if hidden and one.worse is None:
                continue
            bounds = None if one.lower is None or one.upper is None else (one.lower, one.upper)
            tests = [None if p is None else write_p(p, digits) for p in (one.p, one.corrected)]
            rows.append([one.measure, one.column, one.label, one.topics, one.difference, bounds, *tests, one.verdict])
        return Grid(columns, rows, title=title or self.description)

    def records(self) -> Iterator[Records]:
        """A record for each slice and measure, with its labels in front."""
        for one in self.changes:
            fields: dict[str, Field] = {
                "measure": [one.measure],
                "statistic": ["difference"],
                "value": [one.difference],
                "lower": [one.lower],
                "p": [one.p],
                "corrected": [one.corrected],
                "topics": [one.topics],
                "worse": [one.worse],
                "alpha": [self.alpha],
            }
            yield label_records(Records(fields), labels_in(one.column, one.label, self.columns), one.topics, "topics")

    def label_topics(self, records: Records, topics: Sequence[str]) -> Records:
        """The records of single topics, with the labels of each in front."""
        names = name_fields(dict(zip(self.columns, self.columns, strict=True)), records)
        labels: dict[str, Field] = {
            name: [self.labels[column][topic] for topic in topics] for name, column in names.items()
        }
        return Records(labels | dict(records.fields), records.metadata)

    def lines(self) -> Iterator[str]:
        """What there is to say, for a log."""
        yield self.description
        for one in self.changes:
            topics = f"{one.topics} {self.unit}"
            if one.corrected is None:
                yield f"{one.measure} {_signed(one.difference)} on {one.column} {one.label} ({topics}): {one.verdict}"
            else:
                told = f"{topics}, p {write_p(one.corrected, 4)}): {one.verdict}"
                yield f"{one.measure} {_signed(one.difference)} on {one.column} {one.label} ({told}"


def _signed(difference: float | None) -> str:
    return "-" if difference is None else f"{difference:+.4f}"


def find_slice_changes(scores: Scores, slices: Slices, alpha: float) -> SliceChanges:
    """Test the differences between two runs, the later less the earlier one, on each slice of ``FEWEST`` topics."""
    cut = slices.cut(scores.topics)
    place = {topic: at for at, topic in enumerate(scores.topics)}
    values = scores.transformed()
    changes: list[SliceChange] = []
    for number, measure in enumerate(scores.measures):
        counted = frozenset(np.flatnonzero(scores.counted[:, :, number].all(0)).tolist())
        moved = differences_beyond_rounding(values[1, :, number], values[0, :, number])
        of_measure = []
        for one in cut:
            chosen = [place[topic] for topic in one.topics if place[topic] in counted]
            of_measure.append(_change_of(one, str(measure), moved[chosen], alpha))
        changes += sorted(of_measure, key=lambda one: np.inf if one.difference is None else one.difference)
    tested = [row for row, one in enumerate(changes) if one.p is not None]
    if tested:
        gaps, p = (np.array([getattr(changes[row], name) for row in tested]) for name in ("difference", "p"))
        corrected, verdicts = judge_measures(gaps, p, alpha)
        for row, own, verdict in zip(tested, corrected.tolist(), verdicts, strict=True):
            changes[row] = changes[row]._replace(corrected=own, worse=verdict == "worse")
    notes = [*about_slices(slices), *_about_untested(cut, changes, scores.unit), *_about_bounds(changes, len(tested))]
    labels: dict[str, dict[str, str]] = {column: {} for column in slices.columns}
    for one in cut:
        labels[one.column] |= dict.fromkeys(one.topics, one.label)
    return SliceChanges(slices.columns, changes, alpha, scores.unit, notes, labels)


def _change_of(one: Slice, measure: str, differences: np.ndarray, alpha: float) -> SliceChange:
    """The mean of the differences; where there are enough of them with its bounds and p value, not yet corrected."""
    number = len(differences)
    change = SliceChange(one.column, one.label, measure, number, float(differences.mean()) if number else None)
    if number < FEWEST:
        return change
    means = infer_means(differences[None], alpha, "less")
    lower, upper = (None if np.isnan(end) else end for end in means.interval[0].tolist())
    return change._replace(lower=lower, upper=upper, p=float(means.p[0]))


def _about_bounds(changes: Sequence[SliceChange], tests: int) -> Iterator[Note]:
    """Why nothing worse is shown on a slice whose bounds are both below 0, where that is so."""
    if any(one.worse is False and one.upper is not None and one.upper < 0 for one in changes):
        said = f"slices: p (holm) and verdicts are corrected for {tests} tests, bounds are not"
        yield Note(f"{said}; a slice with bounds below 0 may not be shown worse", own_weight=NoteWeight.MEANING)


def _about_untested(cut: Sequence[Slice], changes: Sequence[SliceChange], unit: str) -> Iterator[Note]:
    untested = {(one.column, one.label) for one in changes if one.p is None}
    names = [str(one) for one in cut if (one.column, one.label) in untested]
    if names:
        have = "it has no test" if len(names) == 1 else "they have no test"
        yield Note(f"fewer than {FEWEST} {unit} count in {plural(len(names), 'slice')} ({list_some(names)}); {have}")
